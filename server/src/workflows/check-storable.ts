import { AppError } from '../lib/app-error.ts'

const depthMax = 100

/**
 * Refuses what JSON can say but the database cannot keep: NUL, half a surrogate pair, and values nested so deeply that whoever
 * walks through them later runs out of stack. It walks without recursion itself.
 */
export function checkStorable(value: unknown): void {
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value === 'string') checkText(next.value)
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth === depthMax) {
      throw new AppError('cannot_be_stored', `The body is nested more than ${depthMax} levels deep.`)
    }
    const depth = next.depth + 1
    for (const [name, item] of Object.entries(next.value)) {
      checkText(name)
      waiting.push({ value: item, depth })
    }
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
