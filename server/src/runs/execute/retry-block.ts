// Further tries of a block that failed: when the next one is due, and what is kept until then.
import type { Retry } from '../../engine/chain/flow-fields.ts'
import type { ScriptFailure, ScriptOutcome } from '../../sandbox/index.ts'

const firstSecondsDefault = 10
const factorDefault = 2
const maxSecondsDefault = 3600

/** Trying again would change nothing, or somebody has ended it. */
const finalKinds: ReadonlySet<ScriptOutcome['kind']> = new Set(['timedOut', 'stopped', 'aborted', 'invalid'] as const)
const permanentErrorName = 'PermanentError'

/** `tries`: how many there were, this one included. */
export function mayTryAgain(retry: Retry | undefined, tries: number, outcome: ScriptOutcome): outcome is ScriptFailure {
  if (!retry || outcome.kind === 'returned' || tries > retry.times || finalKinds.has(outcome.kind)) return false
  return outcome.kind !== 'threw' || outcome.name !== permanentErrorName
}

export function retryWaitMs(retry: Retry, tries: number): number {
  const { firstSeconds = firstSecondsDefault, factor = factorDefault, maxSeconds = maxSecondsDefault } = retry
  return Math.min(firstSeconds * factor ** (tries - 1), maxSeconds) * 1000
}
