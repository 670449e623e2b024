import { createHash } from 'node:crypto'
import type { Statement } from '../db/index.ts'

const names = new Map<string, string>()
// A text that varies without end would fill every session with plans; beyond this many it is sent as it is.
const namesMax = 200

/** A statement under a name of its own, so that the server parses and plans it once a session. */
export function preparedStatement(text: string, values: unknown[]): Statement {
  let name = names.get(text)
  if (name === undefined && names.size < namesMax) {
    name = `q${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`
    names.set(text, name)
  }
  return { toQuery: () => ({ ...(name === undefined ? {} : { name }), text, values }) }
}
