// What a script returned, when it is large: judged in a thread, without making values of it.
import type { Json } from '../../lib/json.ts'
import { JsonText, largeTextMin } from '../../lib/json-text.ts'
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { GuestEnd } from '../protocol.ts'
import type { Verdict } from './judge-end.ts'
import type { LargeResult, LargeVerdict, Returned } from './judge-texts.ts'

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
    ...(verdict.vaultRanges === undefined ? {} : { vaultRanges: verdict.vaultRanges }),
    sessionVars: object(vars),
    deferredVault: { workflow: object(vault), global: object(vaultGlobal) },
    ...(end.stop === null ? {} : { stop: { flag: end.stop } }),
  }
}
