// A run that ended, with everything a replay compares itself with.
import type { Contents } from '../../contents/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import { findEnded } from '../execute/claim-store.ts'
import { contentPlace } from '../record/block-contents.ts'
import { findRecording } from '../record/recording-store.ts'
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

type RecordedRunDeps = { db: Queryable; contents: Pick<Contents, 'read'> }

/** The run as it was recorded, or the reason why it cannot be run again. */
export async function findRecordedRun(
  { db, contents }: RecordedRunDeps,
  accountId: string,
  workflowId: string,
  runNumber: number,
): Promise<RecordedRun | { problem: string }> {
  const [run, recording, blocks] = await Promise.all([
    findEnded(db, accountId, workflowId, runNumber),
    findRecording(db, accountId, workflowId, runNumber),
    listRecordedBlocks(db, accountId, workflowId, runNumber),
  ])
  if (!run) return { problem: `There is no run ${runNumber}.` }
  if (!run.hasEnded) return { problem: 'The run has not ended yet.' }
  if (run.isPartial) return { problem: 'Partial runs are not recorded.' }
  if (run.status === 'Stopped') return { problem: 'The run was stopped before its end.' }
  if (!recording) {
    return { problem: 'The run was not recorded: the setting replayRuns says how many of the newest runs are.' }
  }
  if (recording.sealed === null) return { problem: recording.problem ?? 'The run was not recorded.' }
  await readContents(contents, accountId, run.id, blocks)
  return { run, blocks, sealedTape: recording.sealed }
}

async function readContents(
  contents: Pick<Contents, 'read'>,
  accountId: string,
  runId: string,
  blocks: RecordedBlock[],
): Promise<void> {
  for (const block of blocks) {
    const key = { runId, blockId: block.blockId, accountId }
    block.result = await contents.read(contentPlace(key, 'result'), block.result)
    block.log = await contents.read(contentPlace(key, 'log'), block.log)
    block.session = await contents.read(contentPlace(key, 'session'), block.session)
  }
}

async function listRecordedBlocks(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumber: number,
): Promise<RecordedBlock[]> {
  const { rows } = await db.query<{
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
    select block_id, seq, status, is_reused, result, error_message, log, session, started_at
    from run_blocks
    where account_id = ${accountId}
      and run_id = (select r.run_id from run_recordings r where r.workflow_id = ${workflowId} and r.run_number = ${runNumber})
    order by seq`)
  return rows.map((row) => ({
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
