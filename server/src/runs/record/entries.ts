// What workers give the recorder: the end of a block, and the end of a run.
import type { Beside, Scope, Tx } from '../../db/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { RunRecording } from '../recording/run-tape.ts'
import type { BlockRecord, EndedRun, RunClaim, RunWork } from '../run.ts'
import type { RunEnd, RunProgressRow } from './record-store.ts'
import type { OutcomeEffect } from './workflow-outcome-store.ts'

export type BlockEntry = {
  claim: RunClaim
  scope: Scope
  workflowId: string
  runNumber: number
  progress: RunProgressRow
  block: BlockRecord
}

export type EndEntry = Omit<BlockEntry, 'block'> & {
  block?: BlockRecord | undefined
  end: RunEnd
  work: RunWork
  /** The block whose result is that of the run. */
  outputBlock?: string | undefined
  /** Blocks of it may have waited. */
  mayWait?: boolean
  /** What a replay of the run needs. */
  recording?: RunRecording | undefined
  /** What success means besides the status; nothing of it happens otherwise. */
  onSuccess: { movesDateLastRun: boolean; deferred: { vault: JsonObject; vaultGlobal: JsonObject } }
}

export type DeferredVault = {
  writeAll(
    tx: Tx,
    scope: Scope,
    entries: { at: { workflowId: string } | { accountId: string }; key: string; value: JsonObject[string] }[],
  ): Promise<void>
}

/** Told of ends within their transaction: what it writes happens exactly when the run ends. */
export type OnRunsEnded = (
  tx: Tx,
  ended: readonly EndedRun[],
  effects: readonly OutcomeEffect[],
  beside?: Beside,
) => Promise<void>

/** Large results travel alone: the text of a statement is held in memory several times. */
export const weight = {
  of: ({ block, recording }: { block?: BlockRecord | undefined; recording?: RunRecording | undefined }) =>
    lengthOf(block?.result, block?.log, block?.calls, block?.session, block?.sealedDeferred) + (recording?.size ?? 0),
  max: 1_000_000,
}

function lengthOf(...parts: ({ length: number } | null | undefined)[]): number {
  return parts.reduce((sum, part) => sum + (part?.length ?? 0), 0)
}
