// Runs that ended, each with everything a replay compares itself with.
import { type Contents, DamagedContentError } from '../../contents/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import { listByNumbers } from '../execute/claim-store.ts'
import { contentPlace } from '../record/block-contents.ts'
import { listRecordings, type StoredRecording } from '../record/recording-store.ts'
import type { Run, RunStatus } from '../run.ts'

export type RecordedBlock = {
  blockId: string
  seq: number
  status: 'Ready' | 'Error'
  /** Taken over from an earlier run. */
  isReused: boolean
  /** JSON text; null for a block that failed. */
  result: string | null
  errorMessage: string | null
  /** JSON text of an array of strings. */
  log: string | null
  /** JSON text of session.vars. */
  session: string | null
  startedAt: Date
}

export type RecordedRun = {
  run: Run & { status: RunStatus; createdAt: Date }
  blocks: RecordedBlock[]
  sealedTape: Buffer
}

export type RecordedItem = {
  key: string
  status: 'succeeded' | 'failed' | 'skipped'
  /** JSON text; null for an item that failed. */
  result: string | null
  errorMessage: string | null
  startedAt: Date
}

export type NotReplayable = { problem: string }

type RecordedRunDeps = { db: Queryable; contents: Pick<Contents, 'read'> }

/** In the order of the numbers: the run as it was recorded, or the reason why it cannot be run again. */
export async function listRecordedRuns(
  { db, contents }: RecordedRunDeps,
  accountId: string,
  workflowId: string,
  runNumbers: readonly number[],
): Promise<(RecordedRun | NotReplayable)[]> {
  const [runs, recordings, blocks] = await Promise.all([
    listByNumbers(db, accountId, workflowId, runNumbers),
    listRecordings(db, accountId, workflowId, runNumbers),
    listRecordedBlocks(db, accountId, workflowId, runNumbers),
  ])
  const runOf = new Map(runs.map((run) => [run.runNumber, run]))
  const recordingOf = new Map(recordings.map((recording) => [recording.runNumber, recording]))
  const blocksOf = Map.groupBy(blocks, ({ runId }) => runId)
  return Promise.all(
    runNumbers.map(async (runNumber) => {
      const found = judge(runNumber, runOf.get(runNumber), recordingOf.get(runNumber))
      if ('problem' in found) return found
      const own = blocksOf.get(found.run.id) ?? []
      try {
        await readContents(contents, accountId, own)
      } catch (error) {
        // What one run lost must not keep the others from being replayed.
        if (error instanceof DamagedContentError) return { problem: error.message }
        throw error
      }
      return { ...found, blocks: own }
    }),
  )
}

function judge(
  runNumber: number,
  run: Awaited<ReturnType<typeof listByNumbers>>[number] | undefined,
  recording: StoredRecording | undefined,
): Omit<RecordedRun, 'blocks'> | NotReplayable {
  if (!run) return { problem: `There is no run ${runNumber}.` }
  if (!run.hasEnded) return { problem: 'The run has not ended yet.' }
  if (run.isPartial) return { problem: 'Partial runs are not recorded.' }
  if (run.status === 'Stopped') return { problem: 'The run was stopped before its end.' }
  if (!recording) {
    return { problem: 'The run was not recorded: the setting replayRuns says how many of the newest runs are.' }
  }
  if (recording.sealed === null) return { problem: recording.problem ?? 'The run was not recorded.' }
  return { run, sealedTape: recording.sealed }
}

/** By block; those of a block in the order of its list. */
export async function listRecordedItems(
  db: Queryable,
  accountId: string,
  runId: string,
): Promise<Map<string, RecordedItem[]>> {
  const { rows } = await db.query<{
    block_id: string
    key: string
    status: RecordedItem['status']
    result: string | null
    error_message: string | null
    started_at: Date
  }>(sql`
    select block_id, key, status, result, error_message, started_at from run_items
    where run_id = ${runId} and account_id = ${accountId} order by block_id, item_index`)
  const byBlock = Map.groupBy(rows, (row) => row.block_id)
  return new Map(
    [...byBlock].map(([blockId, items]) => [
      blockId,
      items.map((row) => ({
        key: row.key,
        status: row.status,
        result: row.result,
        errorMessage: row.error_message,
        startedAt: row.started_at,
      })),
    ]),
  )
}

type StoredBlock = RecordedBlock & { runId: string }

async function readContents(
  contents: Pick<Contents, 'read'>,
  accountId: string,
  blocks: readonly StoredBlock[],
): Promise<void> {
  for (const block of blocks) {
    const key = { runId: block.runId, blockId: block.blockId, accountId }
    block.result = await contents.read(contentPlace(key, 'result'), block.result)
    block.log = await contents.read(contentPlace(key, 'log'), block.log)
    block.session = await contents.read(contentPlace(key, 'session'), block.session)
  }
}

async function listRecordedBlocks(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumbers: readonly number[],
): Promise<StoredBlock[]> {
  const { rows } = await db.query<{
    run_id: string
    block_id: string
    seq: number
    status: 'Ready' | 'Error'
    is_reused: boolean
    result: string | null
    error_message: string | null
    log: string | null
    session: string | null
    started_at: Date
  }>(sql`
    select run_id, block_id, seq, status, is_reused, result, error_message, log, session, started_at
    from run_blocks
    where account_id = ${accountId} and run_id = any(array(
      select r.run_id from run_recordings r where r.workflow_id = ${workflowId} and r.run_number = any(${runNumbers}::integer[])))
    order by seq`)
  return rows.map((row) => ({
    runId: row.run_id,
    blockId: row.block_id,
    seq: row.seq,
    status: row.status,
    isReused: row.is_reused,
    result: row.result,
    errorMessage: row.error_message,
    log: row.log,
    session: row.session,
    startedAt: row.started_at,
  }))
}
