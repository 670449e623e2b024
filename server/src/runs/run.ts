import type { RunSource, RunStatusName } from '@patchbay/contract'
import type { Json, JsonObject } from '../lib/json.ts'
import type { JsonText } from '../lib/json-text.ts'
import type { WebhookAnswer } from './webhook-answer.ts'

/** The queue of runs: the id of a job is the id of its run, its group is the account. */
export const runQueue = 'runs'

export type RunStatus = RunStatusName

/** `items`: keys; blocks with items run no others. `waitForReal`: blocks with `wait` wait as in other runs. */
export type PartialOptions = { items?: string[]; waitForReal?: boolean }

/** A run as a worker needs it. Everything here stays the same from start to end. */
export type Run = {
  id: string
  /** The first run of a row of retries; its own id when it is none. */
  rootId: string
  accountId: string
  workflowId: string
  runNumber: number
  revision: number
  runBy: RunSource
  isPartial: boolean
  runFrom: number | null
  runTill: number | null
  /** What a partial run was asked for beside its range. */
  partial: PartialOptions | null
  dateLastRun: Date | null
  /** The setting `updateDateLastRun` for a run that a webhook request started; true for others. */
  movesDateLastRun: boolean
  webhookIds: string[] | null
  isWebhookBatch: boolean
  /** The sender of its webhook request waits for a response. */
  answersWebhook: boolean
  /** The first run is level 1; a run that a block of it started is level 2. */
  level: number
  /** It runs because another run failed, or for one that does. */
  isErrorRun: boolean
  /** What scripts see as run.input; text where it is large. */
  input: Json | JsonText
}

/** The hold of one worker on a run. A write that names another attempt than the row does has no effect. */
export type RunClaim = {
  runId: string
  attempt: number
  /** The table that holds the day of the run. */
  partition: string
}

export function claimKey({ runId, attempt }: Pick<RunClaim, 'runId' | 'attempt'>): string {
  return `${runId} ${attempt}`
}

/** session.vars and the deferred vault values, as they go from block to block. */
export type SessionState = { vars: JsonObject; vault: JsonObject; vaultGlobal: JsonObject }

/** What is recorded of a block that ended. */
export type BlockRecord = {
  blockId: string
  seq: number
  status: 'Ready' | 'Error' | 'Skipped'
  /** JSON text. */
  result: string | null
  errorMessage: string | null
  /** JSON text of an array of strings; null when nothing was written. */
  log: string | null
  /** JSON text; null when empty. */
  session: string | null
  sealedDeferred: Buffer | null
  /** JSON text; null when the block called nobody. */
  calls: string | null
  /** Of all calls, also those there was no room for. */
  callCount?: number
  endFlag: boolean | null
  startedAt: Date
  endedAt: Date
  pauseMs: number
  /** What the block answered to the webhook request of the run. */
  answer?: WebhookAnswer & { webhookId: string }
  /** JSON text of what only some blocks have; absent for the others. */
  flow?: string
  /** Items of the result: the length of an array, 1 for anything else, 0 for null. Absent for a block that failed. */
  itemCount?: number
  /** Where values from the vault stand in the result, for search to leave out. */
  vaultRanges?: string | null
}

/** What was executed in a run itself, not in one whose results it took over. */
export type RunWork = { blocks: number; calls: number; scriptMs: number }

/** Told of what happens in runs, once it is durable. Nothing waits for it. */
export type RunNews = {
  onStarted(run: Pick<Run, 'accountId' | 'workflowId' | 'runNumber' | 'runBy'> & { workflowName: string }): void
  /** A worker begins with a run; it was another worker's when the attempt is not the first. */
  onTaken(claim: Pick<RunClaim, 'runId' | 'attempt'>): void
  onBlockEnded(
    block: Pick<Run, 'accountId' | 'workflowId' | 'runNumber'> &
      Pick<BlockRecord, 'blockId' | 'status' | 'errorMessage' | 'startedAt' | 'endedAt' | 'pauseMs'> & {
        runId: string
        blockName: string | null
      },
  ): void
}

/** A block of another run, or one of its items. */
export type ParentBlock = { runId: string; blockId: string; itemIndex: number }

/** How a run ended, told within the transaction that ends it. */
export type EndedRun = {
  id: string
  accountId: string
  workflowId: string
  runNumber: number
  runBy: RunSource
  processorType: 'Standard' | 'Debug'
  status: 'Ready' | 'Error' | 'Stopped'
  errorMessage: string | null
  webhookIds: string[] | null
  isWebhookBatch: boolean
  /** Somebody waits for the end. */
  isAwaited: boolean
  /** Blocks of it may have waited, or started runs of other workflows. */
  mayWait?: boolean | undefined
  /** The block that started it and waits for its end. */
  parent?: ParentBlock | null
  /** The block whose result is that of the run; absent where nobody knows it. */
  outputBlock?: string | undefined
  endedAt: Date
  /** From start to end, pauses excluded. */
  activeMs: number
  work: RunWork
}

export function parentOf(row: {
  parent_run_id: string | null
  parent_block_id: string | null
  parent_item_index: number | null
}): ParentBlock | null {
  const { parent_run_id: runId, parent_block_id: blockId, parent_item_index: itemIndex } = row
  return runId === null || blockId === null ? null : { runId, blockId, itemIndex: itemIndex ?? -1 }
}
