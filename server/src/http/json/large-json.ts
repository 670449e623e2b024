// A JSON body that is too large to be looked at where everybody waits: a thread finds out whether it can be parsed in a moment. One member is cut
// out and stays text: one with any number of values, if its operation only hands it on, or one that is a very long text.
import { bodyDepthMax } from '../../lib/body-text.ts'
import { holdsHalfCharacter } from '../../lib/half-characters.ts'
import { type JsonMember, listMembers, scanJson } from '../../lib/json-scan.ts'
import { largeTextMin } from '../../lib/json-text.ts'

/** Values and names of members in one body, apart from those that are handed on. Parsing them takes about 20 ms. */
export const bodyValuesMax = 200_000

/** Which members may stay text. */
export type TextMembers = { handedOn?: string | undefined; largeText?: string | undefined }

export type LargeJson =
  /** `cut` is where the value stands that stays text. */
  | { kind: 'json'; body: Uint8Array; cut?: { start: number; end: number } }
  | { kind: 'notJson' | 'tooDeep' | 'tooMany' | 'halfCharacter' }

export function lookAtJson({ body, handedOn, largeText }: { body: Uint8Array } & TextMembers): LargeJson {
  const scan = scanJson(body, bodyDepthMax)
  if (scan.kind !== 'json') return { kind: scan.kind === 'tooDeep' ? 'tooDeep' : 'notJson' }
  if (holdsHalfCharacter(Buffer.from(body.buffer, body.byteOffset, body.byteLength))) return { kind: 'halfCharacter' }
  const isTooWide = scan.values > bodyValuesMax
  const member = scan.isObject ? findMember(body, isTooWide ? handedOn : largeText) : undefined
  if (isTooWide && (!member || scan.values - member.values > bodyValuesMax)) return { kind: 'tooMany' }
  if (!member || (!isTooWide && !isLongText(body, member))) return { kind: 'json', body }
  return { kind: 'json', body, cut: { start: member.start, end: member.end } }
}

/** Of several members with one name the last counts. */
function findMember(body: Uint8Array, wanted: string | undefined): JsonMember | undefined {
  return wanted === undefined ? undefined : listMembers(body, bodyDepthMax).findLast(({ name }) => name === wanted)
}

function isLongText(body: Uint8Array, { start, end }: JsonMember): boolean {
  return end - start > largeTextMin && body[start] === 0x22
}
