// The runs of a workflow that is being deleted. Those in the hands of a worker are stopped first and waited for, so that nothing of them happens
// once the workflow is gone; those that nobody works on are taken away together with their jobs.
import { type Database, sql, type Tx } from '../../db/index.ts'
import type { JobQueue } from '../../queue/index.ts'
import { announceAbort, announceStop } from '../dispatch/stop-watch.ts'
import { runQueue } from '../run.ts'

type RemoveDeps = { database: Database; jobs: JobQueue }
/** `onRemoved`: told of those that were under way, before they go. */
type RemoveAllDeps = RemoveDeps & { onRemoved(tx: Tx, ids: readonly string[]): Promise<void> }

export async function listInHand({ database, jobs }: RemoveDeps, workflowId: string): Promise<string[]> {
  const { rows } = await database.system.query<{ id: string }>(
    sql`select id from runs where workflow_id = ${workflowId} and ended_at is null`,
  )
  return jobs.listActive(
    database.system,
    runQueue,
    rows.map(({ id }) => id),
  )
}

export async function askToStop({ database }: RemoveDeps, ids: readonly string[], isAborted: boolean): Promise<void> {
  await database.system.transaction(async (tx) => {
    await tx.query(sql`update runs set status = 'Stopping' where id = any(${ids}::uuid[]) and ended_at is null`)
    for (const id of ids) await (isAborted ? announceAbort(tx, id) : announceStop(tx, id))
  })
}

/**
 * False when a worker has one of them in hand. The jobs go first, as everybody does who settles a run with its job: once a job is gone, no worker
 * can take its run. The counter goes with the workflow itself: whoever starts a run holds the workflow first and the counter then.
 */
export async function removeRuns({ jobs, onRemoved }: RemoveAllDeps, tx: Tx, workflowId: string): Promise<boolean> {
  const { rows } = await tx.query<{ id: string }>(
    sql`select id from runs where workflow_id = ${workflowId} and ended_at is null`,
  )
  const ids = rows.map(({ id }) => id)
  await jobs.withdrawAll(tx, runQueue, ids)
  if ((await jobs.listActive(tx, runQueue, ids)).length > 0) return false
  await tx.query(sql`select from runs where workflow_id = ${workflowId} and ended_at is null for update`)
  await onRemoved(tx, ids)
  await tx.query(sql`delete from run_blocks b using runs r where r.workflow_id = ${workflowId} and b.run_id = r.id`)
  await tx.query(sql`delete from run_writes n using runs r where r.workflow_id = ${workflowId} and n.run_id = r.id`)
  await tx.query(sql`delete from run_items n using runs r where r.workflow_id = ${workflowId} and n.run_id = r.id`)
  await tx.query(sql`delete from run_item_lists n using runs r where r.workflow_id = ${workflowId} and n.run_id = r.id`)
  await tx.query(sql`delete from run_waits n using runs r where r.workflow_id = ${workflowId} and n.run_id = r.id`)
  await tx.query(sql`delete from failed_items where workflow_id = ${workflowId}`)
  await tx.query(sql`delete from run_recordings where workflow_id = ${workflowId}`)
  await tx.query(sql`delete from runs where workflow_id = ${workflowId}`)
  return true
}
