// A run in the hands of one worker: what it is worked on with, and what a worker is told of its blocks.
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { BlockEntry, EndEntry } from '../record/entries.ts'
import type { RunWaits } from '../record/wait-store.ts'
import type { RunTape } from '../recording/run-tape.ts'
import type { RunClaim, RunStatus, SessionState } from '../run.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import type { BlockWaitDeps, ScriptEnd } from './block-wait.ts'
import type { ItemDeps, ItemsEnd } from './item-ends.ts'
import type { RunState } from './run-state.ts'

/** What a fault of the service was about, for the log. */
type FaultOfRun = { accountId: string; runId: string; workflowId?: string; runNumber?: number }

export type ExecutionDeps = BlockWaitDeps & {
  recorder: ExecutionRecorder
  /** How long a block waits that asks to be tried again. */
  retryDelayMs?(asked: number): number
  /** Of the blocks under way the end that is taken next; otherwise the first that comes. */
  nextEnd?<End>(underWay: ReadonlyMap<string, Promise<End>>): Promise<End>
  sealDeferred(state: RunState, blockId: string, session: SessionState): Promise<Buffer | null>
  onFault(error: unknown, about?: FaultOfRun): void
  /** Absent where nothing really waits: then the next try follows at once. */
  waits?: Pick<RunWaits, 'put' | 'park' | 'list' | 'expire'>
  items: ItemDeps['items']
}

/** Where the results go; undefined means that another worker owns the run now. */
export type ExecutionRecorder = {
  record(entry: BlockEntry): Promise<RunStatus | undefined>
  end(entry: EndEntry): Promise<object | undefined>
}

export type Hold = {
  claim: RunClaim
  /** Aborted when the hold is lost or the worker may wait no longer. */
  signal: AbortSignal
  /** Aborted when the run is to stop: a script that sleeps then ends, others finish. */
  stopSignal: AbortSignal
  /** Aborted once the worker is to stop: a block that sleeps or waits for its turn then begins again elsewhere. */
  leaveSignal?: AbortSignal
  /** True once the worker is to stop: blocks under way finish, no further ones start. */
  isStopping(): boolean
  onSleep(ms: number): void
  /** The run need not wait for its account's turn. */
  goesFirst?: boolean
  /** Knows which blocks really run; absent where nobody needs to. */
  blocks?: {
    /** Resolves when the block may be given to a process. */
    mayBegin(blockId: string): Promise<void>
    begin(blockId: string): void
    end(blockId: string): void
  }
  /** Takes down what a replay of the run will need. */
  tape?: RunTape | undefined
}

/** `ended`: the run is over. `lost`: another worker owns it. `open`: it must be handed back. `parked`: it waits, and nobody owns it. */
export type ExecutionResult = 'ended' | 'lost' | 'open' | 'parked'

/** What stays the same from the first block to the last. */
export type Execution = { deps: ExecutionDeps; hold: Hold; state: RunState; webhook: Json | JsonText }

/** `answer`: to the webhook request of the run. `items`: of a block with items. */
export type Ran = ScriptEnd & { answer?: WebhookAnswer | undefined; items?: ItemsEnd }
/** Its end may be taken later, when that of another block has been recorded. */
export type Finished = Ran & { endedAt: Date }

export function aroundOf({ hold, state, webhook }: Execution) {
  return { state, webhook, signal: hold.signal, stopSignal: hold.stopSignal }
}
