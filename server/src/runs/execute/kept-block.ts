// What a block that waits keeps of its script until it ends: everything that its record needs. Another worker goes on from here.
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { ScriptReturned } from '../../sandbox/index.ts'
import type { SessionState } from '../run.ts'
import type { BlockCalls } from './block-calls.ts'
import { logText } from './sanitize-text.ts'

export type KeptBlock = {
  /** What the script returned. */
  prepared: Json
  log: string[]
  startedAt: string
  /** When the wait began. */
  waitsSince: string
  pauseMs: number
  calls: { text: string | null; count: number }
  /** session.vars before and after the script. */
  before: JsonObject
  after: JsonObject
  /** Deferred vault values, sealed, in base64. */
  deferred: string | null
  /** What a wait for events or an approval does at its end. */
  onTimeout?: 'fail' | 'continue'
  /** The run that a sub-workflow started. */
  child?: { id: string; workflowId: string; runNumber: number }
}

/** How somebody ended the wait. */
export type WaitOutcome = {
  outcome: 'time' | 'event' | 'resumed' | 'approved' | 'rejected' | 'timedOut'
  data?: Json
  by?: string | null
  comment?: string | null
  dateTimeUTC: string
}

type Script = {
  outcome: ScriptReturned
  startedAt: Date
  before: SessionState
  calls: Pick<BlockCalls, 'count' | 'toText'>
}

export function keepBlock({ outcome, startedAt, before, calls }: Script, deferred: Buffer | null): KeptBlock {
  return {
    prepared: outcome.value instanceof JsonText ? (JSON.parse(outcome.value.text) as Json) : outcome.value,
    log: JSON.parse(logText(outcome.log) ?? '[]') as string[],
    startedAt: startedAt.toISOString(),
    waitsSince: new Date().toISOString(),
    pauseMs: outcome.pauseMs,
    calls: { text: calls.toText(), count: calls.count },
    before: before.vars,
    after: outcome.sessionVars,
    deferred: deferred?.toString('base64') ?? null,
  }
}

/** What the block returns once it has waited. */
export function resultOf({ prepared }: Pick<KeptBlock, 'prepared'>, ended: WaitOutcome): Json {
  const { outcome, data = null, by = null, comment = null, dateTimeUTC } = ended
  return { outcome, prepared, data, by, comment, dateTimeUTC }
}

/** The column takes no more: a wait of more than 24 days is told as one that began later. */
const pauseMsMax = 2_147_483_647

/** Waiting is no run time. */
export function timesOf(kept: KeptBlock, endedAt: Date): { startedAt: Date; pauseMs: number } {
  const pauseMs = kept.pauseMs + Math.max(0, endedAt.getTime() - Date.parse(kept.waitsSince))
  const startedMs = Date.parse(kept.startedAt)
  if (pauseMs <= pauseMsMax) return { startedAt: new Date(startedMs), pauseMs }
  return { startedAt: new Date(startedMs + pauseMs - pauseMsMax), pauseMs: pauseMsMax }
}
