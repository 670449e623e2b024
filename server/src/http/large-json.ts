// A JSON body that is too large to be looked at where everybody waits: a thread finds out whether it can be parsed in a moment. One member may hold
// any number of values, if its operation only hands it on: it is cut out and stays text.
import { bodyDepthMax } from '../lib/body-text.ts'
import { holdsHalfCharacter } from '../lib/half-characters.ts'
import { listMembers, scanJson } from '../lib/json-scan.ts'

/** Values and names of members in one body, apart from those that are handed on. Parsing them takes about 20 ms. */
export const bodyValuesMax = 200_000

export type LargeJson =
  /** `cut` is where the value stands that was left out and stays text; the rest has a `null` in its place. */
  | { kind: 'json'; body: Uint8Array; cut?: { start: number; end: number } }
  | { kind: 'notJson' | 'tooDeep' | 'tooMany' | 'halfCharacter' }

export function lookAtJson({ body, handedOn }: { body: Uint8Array; handedOn: string | undefined }): LargeJson {
  const scan = scanJson(body, bodyDepthMax)
  if (scan.kind !== 'json') return { kind: scan.kind === 'tooDeep' ? 'tooDeep' : 'notJson' }
  if (holdsHalfCharacter(Buffer.from(body.buffer, body.byteOffset, body.byteLength))) return { kind: 'halfCharacter' }
  if (scan.values <= bodyValuesMax) return { kind: 'json', body }
  const members = scan.isObject && handedOn !== undefined ? listMembers(body, bodyDepthMax) : []
  // Of several members with one name the last counts.
  const member = members.findLast(({ name }) => name === handedOn)
  if (!member || scan.values - member.values > bodyValuesMax) return { kind: 'tooMany' }
  return { kind: 'json', body, cut: { start: member.start, end: member.end } }
}
