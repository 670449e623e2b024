// What a script returned, when it is large: judged in a thread, without making values of it.
import type { Json } from '../lib/json.ts'
import { scanJson } from '../lib/json-scan.ts'
import { JsonText, largeTextMin } from '../lib/json-text.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { type Failure, RETURNED_PARTS, type Verdict } from './judge-end.ts'
import { RESULT_DEPTH_MAX, type ScriptLimits } from './limits.ts'
import { maskJson } from './mask-json.ts'
import type { GuestEnd } from './protocol.ts'

type Returned = GuestEnd & { kind: 'returned' }
export type LargeResult = { end: Returned; limits: ScriptLimits; secrets: readonly string[] }
/** Texts in the order of `RETURNED_PARTS`. */
export type LargeVerdict = { failure: Failure } | { texts: [string, string, string, string] }

/** The session is read and changed by the service itself, so it is made of values, and of no more than these. */
const SESSION_VALUES_MAX = 100_000

const threads = new ThreadPool<LargeResult, LargeVerdict>(new URL('./judge-thread.ts', import.meta.url))

export function isLargeEnd(end: GuestEnd): end is Returned {
  return (
    end.kind === 'returned' &&
    end.value.length + end.vars.length + end.vault.length + end.vaultGlobal.length > largeTextMin
  )
}

export async function judgeLarge(accountId: string, given: LargeResult): Promise<Verdict> {
  const { end } = given
  const verdict = await threads.run(accountId, given)
  if ('failure' in verdict) return verdict.failure
  const [value, vars, vault, vaultGlobal] = verdict.texts
  const object = (text: string) => JSON.parse(text) as { [name: string]: Json }
  return {
    kind: 'returned',
    value: value.length > largeTextMin ? new JsonText(value) : (JSON.parse(value) as Json),
    sessionVars: object(vars),
    deferredVault: { workflow: object(vault), global: object(vaultGlobal) },
    ...(end.stop === null ? {} : { stop: { flag: end.stop } }),
  }
}

/** What the thread does. */
export function judgeLargeHere({ end, limits, secrets }: LargeResult): LargeVerdict {
  const texts: string[] = []
  for (const [what, part] of RETURNED_PARTS) {
    const bytes = Buffer.from(end[part])
    const failure = judgeText(what, bytes, limits)
    if (failure) return { failure }
    // The vault is where secrets belong, so what goes there is not masked.
    const isMasked = part === 'value' || part === 'vars'
    texts.push(isMasked ? maskJson(end[part], secrets) : end[part])
  }
  return { texts: texts as [string, string, string, string] }
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
  if (!isResult && !scan.isObject) return { kind: 'notJson', message: `${what} is not an object any more.` }
  return undefined
}
