// How a run that is under way shows, and how one is left for the next worker.
import { type Queryable, sql } from '../../db/index.ts'
import type { RunClaim } from '../run.ts'

/** Runs that did not end within a moment are shown as under way. A row that is being written at this moment is shown by its writer. */
export async function markProcessing(
  db: Queryable,
  claims: readonly Pick<RunClaim, 'runId' | 'attempt'>[],
): Promise<void> {
  const { rows } = await db.query<{ workflow_id: string; run_number: number }>(sql`
    with mine as materialized (
      select r.id from runs r
      join unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
        on r.id = c.id and r.attempt = c.attempt
      where r.status = 'Pending' for no key update of r skip locked
    )
    update runs r set status = 'Processing' from mine where r.id = mine.id returning r.workflow_id, r.run_number`)
  if (rows.length === 0) return
  await db.query(sql`
    with shown as materialized (
      select w.id, m.run_number from workflows w
      join (
        select id, max(run_number) as run_number
        from unnest(${rows.map((row) => row.workflow_id)}::uuid[], ${rows.map((row) => row.run_number)}::integer[]) as u (id, run_number)
        group by id
      ) m on w.id = m.id and coalesce(w.last_run_number, 0) < m.run_number
      for no key update of w skip locked
    )
    update workflows w set last_run_number = s.run_number, last_run_status = 'Processing' from shown s where w.id = s.id`)
}

/** Lets the next worker know that its predecessor was stopped in order. */
export async function markHandedBack(
  tx: Queryable,
  claims: readonly Pick<RunClaim, 'runId' | 'attempt'>[],
): Promise<void> {
  await tx.query(sql`
    update runs r set is_handed_back = true
    from unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
    where r.id = c.id and r.attempt = c.attempt and r.ended_at is null`)
}

/** Which blocks run at this moment; none: nobody is to be blamed for what comes. */
export async function updateUnderWay(
  db: Queryable,
  notes: readonly (Pick<RunClaim, 'runId' | 'attempt'> & { blockIds: readonly string[] })[],
): Promise<void> {
  if (notes.length === 0) return
  // Locked in the order of ids, as the recorder does, so that two writers of the same runs never wait for each other.
  await db.query(sql`
    with mine as materialized (
      select r.id, c.blocks from runs r join unnest(
        ${notes.map(({ runId }) => runId)}::uuid[],
        ${notes.map(({ attempt }) => attempt)}::integer[],
        ${notes.map(({ blockIds }) => blockIds.join(','))}::text[]
      ) as c (id, attempt, blocks) on r.id = c.id and r.attempt = c.attempt
      where r.ended_at is null order by r.id for no key update of r
    )
    update runs r set under_way = case when m.blocks = '' then null else string_to_array(m.blocks, ',')::uuid[] end
    from mine m where r.id = m.id`)
}
