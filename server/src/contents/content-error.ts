import { AppError } from '../lib/app-error.ts'

/** The storage gives no answer: the same may succeed later. */
export class ContentAwayError extends AppError {
  constructor(url: string, cause: unknown) {
    super('not_ready', 'The storage that holds this content cannot be reached at the moment. Try again later.', {
      cause: new Error(`Content in ${url} cannot be read.`, { cause }),
    })
    this.name = 'ContentAwayError'
  }
}

/** What was stored is not there, or is not what was stored. */
export class DamagedContentError extends AppError {
  constructor(how: 'missing' | 'damaged', key: string, cause?: unknown) {
    super(
      'content_damaged',
      `This content is ${how === 'missing' ? 'missing from' : 'damaged in'} the service's storage. The operator can restore it.`,
      {
        cause: new Error(`The object ${key} is ${how}.`, { cause }),
      },
    )
    this.name = 'DamagedContentError'
  }
}
