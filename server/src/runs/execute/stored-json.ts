import type { Json } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import { isLarge } from '../../lib/large-body.ts'

/** Stored JSON as scripts are given it: large ones stay text. */
export function readStored(text: string | null): Json | JsonText {
  if (text === null) return null
  return isLarge(text) ? new JsonText(text) : (JSON.parse(text) as Json)
}
