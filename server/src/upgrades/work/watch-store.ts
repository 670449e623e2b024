import { type Queryable, sql } from '../../db/index.ts'

export type Watched = {
  upgradeId: string
  workflowId: string
  revisionBefore: number
  revisionAfter: number
  /** All runs up to this one have ended. */
  runsSeen: number
  watchRuns: number
  /** False when somebody has changed the workflow since. */
  isNewest: boolean
  /** Of the runs of the upgraded revision that ended, in order. */
  statuses: ('Ready' | 'Error')[]
}

const firstId = '00000000-0000-0000-0000-000000000000'

type Row = {
  upgrade_id: string
  workflow_id: string
  revision_before: number
  revision_after: number
  runs_seen: number
  watch_runs: number
  is_newest: boolean
  statuses: ('Ready' | 'Error')[]
}

/** The next watched workflows with runs that nobody has judged yet. Partial and stopped runs say nothing. */
export async function listWatched(
  db: Queryable,
  after: Pick<Watched, 'upgradeId' | 'workflowId'> | undefined,
  limit: number,
): Promise<Watched[]> {
  const { upgradeId = firstId, workflowId = firstId } = after ?? {}
  const { rows } = await db.query<Row>(sql`
    select t.upgrade_id, t.workflow_id, t.revision_before, t.revision_after, u.watch_runs,
      -- The number of a run is the workflow's last as soon as it is under way: those that have not ended are looked at again.
      least(w.last_run_number, (
        select min(r.run_number) - 1 from runs r
        where r.workflow_id = t.workflow_id and r.run_number > t.runs_seen and r.ended_at is null
      )) as runs_seen,
      w.revision = t.revision_after as is_newest, array(
        select r.status from runs r
        where r.workflow_id = t.workflow_id and r.revision = t.revision_after and r.processor_type = 'Standard'
          and r.status in ('Ready', 'Error')
        order by r.run_number limit u.watch_runs
      ) as statuses
    from template_upgrade_items t join workflows w on w.id = t.workflow_id join template_upgrades u on u.id = t.upgrade_id
    where t.watched_until > now() and t.outcome = 'upgraded' and w.last_run_number > t.runs_seen
      and (t.upgrade_id, t.workflow_id) > (${upgradeId}::uuid, ${workflowId}::uuid)
    order by t.upgrade_id, t.workflow_id limit ${limit}`)
  return rows.map((row) => ({
    upgradeId: row.upgrade_id,
    workflowId: row.workflow_id,
    revisionBefore: row.revision_before,
    revisionAfter: row.revision_after,
    runsSeen: row.runs_seen,
    watchRuns: row.watch_runs,
    isNewest: row.is_newest,
    statuses: row.statuses,
  }))
}

/** These go on being watched, or not, after their runs up to a number have been judged. */
export async function updateWatches(
  tx: Queryable,
  items: readonly { upgradeId: string; workflowId: string; runsSeen: number; goesOn: boolean }[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(sql`
    update template_upgrade_items t set runs_seen = greatest(t.runs_seen, e.runs_seen),
      watched_until = case when e.goes_on then t.watched_until end
    from unnest(${items.map(({ upgradeId }) => upgradeId)}::uuid[], ${items.map(({ workflowId }) => workflowId)}::uuid[],
      ${items.map(({ runsSeen }) => runsSeen)}::integer[], ${items.map(({ goesOn }) => goesOn)}::boolean[]
    ) as e (upgrade_id, workflow_id, runs_seen, goes_on)
    where t.upgrade_id = e.upgrade_id and t.workflow_id = e.workflow_id`)
}

/** Workflows whose last run that says something was Ready. */
export async function listWorking(db: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(sql`
    select w.id from unnest(${workflowIds}::uuid[]) as w (id)
    where 'Ready' = (
      select r.status from runs r
      where r.workflow_id = w.id and r.processor_type = 'Standard' and r.status in ('Ready', 'Error')
      order by r.run_number desc limit 1)`)
  return new Set(rows.map(({ id }) => id))
}
