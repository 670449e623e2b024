// Two locks a workflow, held until the transaction ends. Whoever needs several takes them in this order:
//   1. the row in `workflows` (settings, ends of runs)
//   2. the order of its queue: shared by whoever moves requests, exclusive for whoever puts all of them into other lanes
//   3. its lanes: whoever lets a request enter or leave a lane decides alone who is first in it
//   4. rows of the queue
import { type Queryable, sql } from '../../db/index.ts'

export async function shareOrder(tx: Queryable, workflowIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock_shared(k.key) from (
      select distinct hashtextextended('order of ' || id, 0) as key from unnest(${workflowIds}::text[]) as w (id) order by 1) k`)
}

export async function lockOrder(tx: Queryable, workflowId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('order of ' || ${workflowId}::text, 0))`)
}

export async function lockLanes(tx: Queryable, workflowIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(k.key) from (
      select distinct hashtextextended('lanes of ' || id, 0) as key from unnest(${workflowIds}::text[]) as w (id) order by 1) k`)
}
