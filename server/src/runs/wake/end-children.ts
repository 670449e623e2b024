// Runs that blocks of other runs started. The end of one ends the wait of its block, and the end of a run stops those it still waits for, each in one
// transaction.
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { OnRunsEnded } from '../record/entries.ts'
import { type EndedRun, type ParentBlock, parentOf, runQueue } from '../run.ts'
import { stopIn } from '../start/stop.ts'

export function settlingFamilies(jobs: JobQueue, onRunsEnded: OnRunsEnded): OnRunsEnded {
  const settle: OnRunsEnded = async (tx, ended, effects, beside) => {
    const children = ended.filter(isChild)
    if (children.length > 0) await wakeParents(jobs, tx, children)
    await onRunsEnded(tx, ended, effects, beside)
    const parents = ended.filter(({ mayWait }) => mayWait).map(({ id }) => id)
    const stopped = parents.length === 0 ? [] : await stopChildren(jobs, tx, parents)
    if (stopped.length > 0) await settle(tx, stopped, [], beside)
  }
  return settle
}

/** Of runs that are deleted with their workflow. */
export async function settleDeleted(
  jobs: JobQueue,
  onRunsEnded: OnRunsEnded,
  tx: Tx,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const stopped = await stopChildren(jobs, tx, ids)
  if (stopped.length > 0) await onRunsEnded(tx, stopped, [])
  const children = await listChildren(tx, ids)
  if (children.length > 0) await wakeParents(jobs, tx, children)
}

type Child = Pick<EndedRun, 'status' | 'errorMessage'> & { parent: ParentBlock }

function isChild(run: EndedRun): run is EndedRun & Child {
  return run.parent !== null && run.parent !== undefined
}

async function wakeParents(jobs: JobQueue, tx: Tx, children: readonly Child[]): Promise<void> {
  const runIds = await endWaits(tx, children)
  await jobs.wake(tx, runQueue, runIds)
}

/** Those that nobody had in hand, and are over; the others were asked to stop. */
async function stopChildren(jobs: JobQueue, tx: Tx, parentIds: readonly string[]): Promise<EndedRun[]> {
  const { rows } = await tx.query<{ id: string; account_id: string }>(sql`
    select id, account_id from runs where parent_run_id = any(${parentIds}::uuid[]) and ended_at is null order by id`)
  const ended: EndedRun[] = []
  for (const { id, account_id: accountId } of rows) {
    const stopped = await stopIn(jobs, tx, { id, accountId })
    if (stopped !== 'asked' && stopped !== 'over') ended.push(stopped)
  }
  return ended
}

async function listChildren(tx: Queryable, ids: readonly string[]): Promise<Child[]> {
  const { rows } = await tx.query<{
    run_number: number
    parent_run_id: string | null
    parent_block_id: string | null
    parent_item_index: number | null
  }>(sql`
    select run_number, parent_run_id, (parent_run ->> 'uniqueBlockId')::uuid as parent_block_id, parent_item_index
    from runs where id = any(${ids}::uuid[]) and parent_run_id is not null`)
  return rows.flatMap((row) => {
    const parent = parentOf(row)
    const errorMessage = `Run ${row.run_number} of the sub-workflow was deleted.`
    return parent ? [{ parent, status: 'Stopped' as const, errorMessage }] : []
  })
}

/** Ids of the runs that go on. One that has ended meanwhile waits for nothing. */
async function endWaits(tx: Queryable, children: readonly Child[]): Promise<string[]> {
  const outcomes = children.map(({ status, errorMessage }) => JSON.stringify({ status, errorMessage }))
  const { rows } = await tx.query<{ run_id: string }>(sql`
    update run_waits w set outcome = c.outcome
    from unnest(${children.map(({ parent }) => parent.runId)}::uuid[], ${children.map(({ parent }) => parent.blockId)}::uuid[],
      ${children.map(({ parent }) => parent.itemIndex)}::integer[], ${outcomes}::text[]) as c (run_id, block_id, item_index, outcome)
    where w.run_id = c.run_id and w.block_id = c.block_id and w.item_index = c.item_index and w.kind = 'subWorkflow' and w.outcome is null
    returning w.run_id`)
  return [...new Set(rows.map(({ run_id }) => run_id))]
}
