// The end of a run that a block of another run started: that block's wait is over with it, in one transaction.
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { OnRunsEnded } from '../record/entries.ts'
import { type EndedRun, type ParentBlock, runQueue } from '../run.ts'

export function wakingParents(jobs: JobQueue, onRunsEnded: OnRunsEnded): OnRunsEnded {
  return async (tx, ended, effects, beside) => {
    const children = ended.filter(isChild)
    if (children.length > 0) await wakeParents(jobs, tx, children)
    await onRunsEnded(tx, ended, effects, beside)
  }
}

type ChildRun = EndedRun & { parent: ParentBlock }

function isChild(run: EndedRun): run is ChildRun {
  return run.parent !== null && run.parent !== undefined
}

async function wakeParents(jobs: JobQueue, tx: Tx, children: readonly ChildRun[]): Promise<void> {
  const runIds = await endWaits(tx, children)
  await jobs.wake(tx, runQueue, runIds)
}

/** Ids of the runs that go on. One that has ended meanwhile waits for nothing. */
async function endWaits(tx: Queryable, children: readonly ChildRun[]): Promise<string[]> {
  const outcomes = children.map(({ status, errorMessage }) => JSON.stringify({ status, errorMessage }))
  const { rows } = await tx.query<{ run_id: string }>(sql`
    update run_waits w set outcome = c.outcome
    from unnest(${children.map(({ parent }) => parent.runId)}::uuid[], ${children.map(({ parent }) => parent.blockId)}::uuid[],
      ${children.map(({ parent }) => parent.itemIndex)}::integer[], ${outcomes}::text[]) as c (run_id, block_id, item_index, outcome)
    where w.run_id = c.run_id and w.block_id = c.block_id and w.item_index = c.item_index and w.kind = 'subWorkflow' and w.outcome is null
    returning w.run_id`)
  return [...new Set(rows.map(({ run_id }) => run_id))]
}
