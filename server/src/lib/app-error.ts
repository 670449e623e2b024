import { type ErrorCode, errorCatalogue } from '@patchbay/contract'

/** The one error that services throw on purpose. Its message is for the client; its cause is for the log. */
export class AppError extends Error {
  readonly code: ErrorCode
  /** The answer of a called application, where there is one. */
  readonly response: unknown

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; response?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.response = options.response ?? null
  }

  get status(): number {
    return errorCatalogue[this.code]
  }
}

export function invalid(message: string): AppError {
  return new AppError('invalid_request', message)
}

/** The same words for foreign, deleted and never existing ids: the answer must not tell them apart. */
export function notFound(what: string): AppError {
  return new AppError('not_found', `The ${what} was not found, or you have no access to it.`)
}
