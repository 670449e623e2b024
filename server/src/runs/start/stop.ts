// Stopping a run: one that nobody works on is over at once; one that is worked on finishes the block under way,
// unless that sleeps.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import {
  type Beside,
  type Database,
  isTransient,
  oneByOne,
  type Queryable,
  sql,
  type Tx,
  together,
  transactDespiteDeadlock,
} from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { JobQueue } from '../../queue/index.ts'
import { announceStop } from '../dispatch/stop-watch.ts'
import { findRun } from '../history/history-store.ts'
import type { OnRunsEnded } from '../record/entries.ts'
import { deleteWaits } from '../record/wait-store.ts'
import { type EndedRun, parentOf, runQueue } from '../run.ts'

export type StopDeps = { database: Database; jobs: JobQueue; onRunsEnded: OnRunsEnded; onFault(error: unknown): void }

/** False when the run had ended before. */
export async function stopRun(
  deps: StopDeps,
  principal: Principal,
  workflowId: string,
  runNumber: number,
): Promise<boolean> {
  const { accountId } = scopeOf(principal)
  const found = await findRun(deps.database.system, accountId, workflowId, runNumber)
  if (!found) throw notFound('run')
  if (found.item.endDateTimeUTC !== null) return false
  // The runs that it started are stopped with it. One of them may be ending at this moment, which takes the same locks in another order.
  const stop = (beside: Beside) =>
    transactDespiteDeadlock(deps.database.system, async (tx) => {
      const stopped = await stopIn(deps.jobs, tx, { id: found.id, accountId })
      if (stopped === 'over') return false
      if (stopped !== 'asked') await deps.onRunsEnded(tx, [stopped], [], beside)
      await recordAudit(tx, actorOf(principal), { action: 'run.stopped', target: workflowId, details: { runNumber } })
      return true
    })
  try {
    return await stop(together)
  } catch (error) {
    // A run that cannot be counted, indexed or announced is stopped all the same.
    if (isTransient(error)) throw error
    return await stop(oneByOne(deps.onFault))
  }
}

/** The run as it ended where nobody had it in hand. `asked`: whoever has it ends it. */
export async function stopIn(
  jobs: JobQueue,
  tx: Tx,
  { id, accountId }: { id: string; accountId: string },
): Promise<EndedRun | 'asked' | 'over'> {
  // The job first, as everybody does who settles a run with its job.
  const nobodyHasIt = await jobs.withdraw(tx, runQueue, id)
  const ended = nobodyHasIt ? await markStopped(tx, accountId, id) : undefined
  if (ended) {
    await deleteWaits(tx, [id])
    return { ...ended, mayWait: true }
  }
  if (!(await markStopping(tx, accountId, id))) return 'over'
  await announceStop(tx, id)
  return 'asked'
}

async function markStopping(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update runs set status = 'Stopping' where id = ${id} and account_id = ${accountId} and ended_at is null`)
  return rowCount > 0
}

async function markStopped(tx: Tx, accountId: string, id: string): Promise<EndedRun | undefined> {
  const { rows } = await tx.query<{
    workflow_id: string
    run_number: number
    run_by: EndedRun['runBy']
    processor_type: EndedRun['processorType']
    webhook_ids: string[] | null
    is_webhook_batch: boolean
    is_awaited: boolean
    parent_run_id: string | null
    parent_block_id: string | null
    parent_item_index: number | null
    ended_at: Date
    active_ms: number
    blocks: number
    calls: number
    script_ms: number
  }>(sql`
    with stopped as (
      update runs set status = 'Stopped', ended_at = clock_timestamp()
      where id = ${id} and account_id = ${accountId} and ended_at is null
      returning id, workflow_id, run_number, run_by, processor_type, webhook_ids, is_webhook_batch, is_awaited, parent_run_id, (parent_run ->> 'uniqueBlockId')::uuid as parent_block_id, parent_item_index,
        ended_at,
        (extract(epoch from ended_at - created_at) * 1000 - pause_ms)::float8 as active_ms
    ), shown as (
      update workflows w set last_run_number = s.run_number, last_run_status = 'Stopped'
      from stopped s where w.id = s.workflow_id and coalesce(w.last_run_number, 0) <= s.run_number
    )
    select s.*, w.* from stopped s cross join lateral (
      select count(*)::integer as blocks, coalesce(sum(count_calls(b.calls)), 0)::integer as calls,
        coalesce(sum(greatest(0, extract(epoch from b.ended_at - b.started_at) * 1000 - b.pause_ms)), 0)::float8 as script_ms
      from run_blocks b where b.run_id = s.id and not b.is_reused
    ) w`)
  const row = rows[0]
  return (
    row && {
      id,
      accountId,
      workflowId: row.workflow_id,
      runNumber: row.run_number,
      runBy: row.run_by,
      processorType: row.processor_type,
      status: 'Stopped',
      errorMessage: null,
      webhookIds: row.webhook_ids,
      isWebhookBatch: row.is_webhook_batch,
      isAwaited: row.is_awaited,
      parent: parentOf(row),
      endedAt: row.ended_at,
      activeMs: row.active_ms,
      work: { blocks: row.blocks, calls: row.calls, scriptMs: row.script_ms },
    }
  )
}
