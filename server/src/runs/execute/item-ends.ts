// What the items of a block are run with, and how they end.
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ItemDeferred } from '../record/item-entry.ts'
import type { ItemRecords } from '../record/item-store.ts'
import type { RememberedResult } from '../record/remembered-store.ts'
import type { RunWait, RunWaits } from '../record/wait-store.ts'
import type { RunTape } from '../recording/run-tape.ts'
import type { RunClaim, SessionState } from '../run.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import type { PlannedBlock } from './definition-cache.ts'
import type { ItemScope } from './item-scope.ts'
import type { ItemCounts, RunState } from './run-state.ts'
import type { ChildDeps } from './start-child.ts'

export const itemBytesMax = 1_048_576

export type ItemStore = Pick<
  ItemRecords,
  | 'record'
  | 'putList'
  | 'findList'
  | 'hasList'
  | 'listEnded'
  | 'listResults'
  | 'listFailed'
  | 'listDeferred'
  | 'addUse'
  | 'findDeaths'
  | 'putDeaths'
  | 'findRemembered'
  | 'countFailed'
  | 'listResultsOf'
>

export type ItemDeps = ChildDeps & {
  sealDeferred(state: RunState, blockId: string, session: SessionState): Promise<Buffer | null>
  openDeferred?(state: RunState, blockId: string, sealed: Buffer): Promise<Omit<SessionState, 'vars'>>
  items: ItemStore
  waits: Pick<RunWaits, 'put' | 'list'>
  /** Nothing really waits: the next try of an item follows at once. */
  triesAtOnce?: boolean
}

export type ItemsHold = {
  claim: RunClaim
  signal: AbortSignal
  stopSignal: AbortSignal
  leaveSignal?: AbortSignal
  isStopping(): boolean
  onSleep(ms: number): void
  goesFirst?: boolean
  /** Takes down what a replay of the run will need. */
  tape?: Pick<RunTape, 'startItem' | 'endItem'> | undefined
}

/** `waiting`: nothing is left but items whose next try is due later. `interrupted`: the worker or the run is to stop. */
export type ItemsEnd =
  | { kind: 'ended'; outcome: ScriptOutcome; counts: ItemCounts }
  | { kind: 'waiting'; wait: RunWait }
  | { kind: 'interrupted'; isStopped: boolean }
  | { kind: 'lost' }

/** What is known of the tries of an item, or a batch of them, before the one that is next. */
export type Tries = { indexes: number[]; tries: number; log: string[]; calls?: string | null }
/** `outcome`: of what it waited for. `skipped`: the items do not run; what they would return is known, or null where the same item failed before. */
export type Unit = {
  indexes: number[]
  tried: Tries | undefined
  outcome: string | null
  skipped?: (RememberedResult | null)[]
}

/** What an item did besides. */
export type Further = { answer?: WebhookAnswer | undefined; deferred?: ItemDeferred | undefined }

/** A block with items, in its run. */
export type ItemBlock = { state: RunState; block: PlannedBlock; webhook: Json | JsonText; scope: ItemScope }

export const noItems: ItemCounts = { total: 0, succeeded: 0, failed: 0, skipped: 0 }

export function threw(message: string): ScriptOutcome {
  return { kind: 'threw', name: 'Error', message, log: [], pauseMs: 0 }
}

/** Items have a copy of session.vars, so those are as they were. */
export function returned(value: Json | JsonText, session: SessionState): ScriptOutcome {
  const deferredVault = { workflow: session.vault, global: session.vaultGlobal }
  return { kind: 'returned', value, sessionVars: session.vars, deferredVault, log: [], pauseMs: 0 }
}
