import { inputBytesMax } from '@patchbay/contract'
import { invalid } from '../../lib/app-error.ts'

/** The value as JSON text. Throws when that is more than a run, an event or an answer may be given. */
export function requireSmall(field: string, value: unknown): string {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > inputBytesMax) throw invalid(`The field ${field} must be at most 1 MiB of JSON.`)
  return text
}
