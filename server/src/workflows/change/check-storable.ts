import { AppError } from '../../lib/app-error.ts'
import { isDeeperThan } from '../../lib/json.ts'

const levelsMax = 100

/**
 * Refuses what JSON can say but the database cannot keep: NUL, half a surrogate pair, and values nested so deeply that whoever
 * walks through them later runs out of stack.
 */
export function checkStorable(value: unknown): void {
  // The outermost value is a level too.
  if (isDeeperThan(levelsMax - 1, value)) {
    throw new AppError('cannot_be_stored', `The body is nested more than ${levelsMax} levels deep.`)
  }
  checkTexts(value)
}

function checkTexts(value: unknown): void {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    checkText(name)
    checkTexts(item)
  }
}

function checkText(text: string): void {
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw new AppError(
      'cannot_be_stored',
      'A text in the request contains a character that cannot be stored (NUL or an unpaired surrogate).',
    )
  }
}
