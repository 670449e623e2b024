// The work of a thread of judge-large.ts: the texts of a large result, judged as they are.
import { scanJson } from '../../lib/json-scan.ts'
import { RESULT_DEPTH_MAX, type ScriptLimits } from '../limits.ts'
import { maskJson } from '../mask/mask-json.ts'
import { markTaken } from '../mask/vault-ranges.ts'
import type { GuestEnd } from '../protocol.ts'
import { type Failure, RETURNED_PARTS } from './judge-end.ts'

export type Returned = GuestEnd & { kind: 'returned' }
export type LargeResult = {
  end: Returned
  limits: ScriptLimits
  secrets: readonly string[]
  /** Texts that the script took from the vault. */
  taken: readonly string[]
}
/** Texts in the order of `RETURNED_PARTS`. */
export type LargeVerdict =
  | { failure: Failure }
  | { texts: [string, string, string, string]; vaultRanges: string | undefined }

/** The session is read and changed by the service itself, so it is made of values, and of no more than these. */
const SESSION_VALUES_MAX = 100_000

export function judgeTexts({ end, limits, secrets, taken }: LargeResult): LargeVerdict {
  const texts: string[] = []
  for (const [what, part] of RETURNED_PARTS) {
    const bytes = Buffer.from(end[part])
    const failure = judgeText(what, bytes, limits)
    if (failure) return { failure }
    // The vault is where secrets belong, so what goes there is not masked.
    const isMasked = part === 'value' || part === 'vars'
    texts.push(isMasked ? maskJson(end[part], secrets) : end[part])
  }
  return { texts: texts as [string, string, string, string], vaultRanges: markTaken(texts[0] as string, taken) }
}

function judgeText(what: string, bytes: Buffer, { resultBytesMax }: ScriptLimits): Failure | undefined {
  if (bytes.length > resultBytesMax)
    return {
      kind: 'resultTooLarge',
      message: `${what} is larger than ${resultBytesMax} bytes.`,
      limitBytes: resultBytesMax,
    }
  const isResult = what === 'The result'
  const scan = scanJson(bytes, RESULT_DEPTH_MAX + 1, isResult ? undefined : SESSION_VALUES_MAX)
  if (scan.kind === 'tooDeep')
    return { kind: 'notJson', message: `${what} is nested more than ${RESULT_DEPTH_MAX} levels deep.` }
  if (scan.kind === 'other') return { kind: 'crashed', message: 'The script process violated the sandbox protocol.' }
  if (scan.kind === 'tooMany')
    return {
      kind: 'resultTooLarge',
      message: `${what} holds more than ${SESSION_VALUES_MAX} values.`,
      limitBytes: resultBytesMax,
    }
  if (!isResult && !scan.isObject) return { kind: 'notJson', message: `${what} must remain an object.` }
  return undefined
}
