import type { RunSource } from '@patchbay/contract'
import { type Queryable, type Sql, sql } from '../../db/index.ts'
import type { PartialOptions } from '../run.ts'

/** As answers show it. */
export type ParentRun = { workflowId: string; runNumber: number; uniqueBlockId: string; itemKey: string | null }

export type NewRun = {
  id: string
  accountId: string
  workflowId: string
  runBy: RunSource
  range?: { runFromBlock?: number; runTillBlock?: number }
  partial?: PartialOptions
  /** For a retry: the failed run that it continues. */
  reusedRunId?: string
  /** For a retry of single items: the first run of their row, and the run they are taken from. Either may be kept no longer. */
  itemsOf?: { rootRunId: string; runNumber: number }
  webhookIds?: string[]
  /** JSON text. A retry has that of the failed run. */
  input?: string
  /** Somebody waits for the end. */
  isAwaited?: boolean
  /** It runs because another run failed. */
  isErrorRun?: boolean
  /** The block of another run that waits for it. */
  parent?: { runId: string; itemIndex: number; level: number; shown: ParentRun }
  isWebhookBatch?: boolean
  /** False: success of this run leaves dateLastRun where it is. */
  movesDateLastRun?: boolean
  /** Refused while an application that the workflow was given is gone or not authenticated. */
  needsApplications?: boolean
  /** Also of an archived workflow: a request that was left in its queue. */
  mayBeArchived?: boolean
  /** The account of the person or program that asked for it; absent for schedule and webhook. */
  startedBy?: string
}

/** Of the workflow `w`, the applications that it was given and that are gone or not authenticated. */
const missingApplications = sql`
  select a.key as name from json_each_text(w.applications) a
  left join registered_applications r on r.id = a.value::uuid and r.account_id = w.account_id
  where r.is_authenticated is not true`

export type InsertedRun = { id: string; runNumber: number; revision: number; workflowName: string }

/**
 * Counts and inserts runs of deployed workflows. Runs that are not in the answer have no deployed workflow in their account.
 * The counter of a workflow is locked until the transaction ends, which is what makes numbers unique, without gaps, and in order of time;
 * counters are locked in the order of their ids, so that two batches never wait for each other.
 */
export async function insertRuns(tx: Queryable, runs: readonly NewRun[]): Promise<Map<string, InsertedRun>> {
  const { rows } = await tx.query<{ id: string; run_number: number; revision: number; name: string }>(sql`
    with input as materialized (
      ${given(runs)}
    ), permitted as materialized (
      select i.* from input i join workflows w on w.id = i.workflow_id and w.account_id = i.account_id
      where (w.state = 'deployed' or w.state = 'archived' and i.may_be_archived)
        and (not i.needs_applications or not exists (${missingApplications}))
    ), counted as (
      insert into run_counters as c (workflow_id, account_id, last_number)
      select w.id, w.account_id, n.runs
      from (
        select i.workflow_id, i.account_id, count(*)::integer as runs, bool_and(i.may_be_archived) as may_be_archived
        from permitted i group by 1, 2
      ) n
      join workflows w on w.id = n.workflow_id and w.account_id = n.account_id
        and (w.state = 'deployed' or w.state = 'archived' and n.may_be_archived)
        and (w.deleting_until is null or w.deleting_until < clock_timestamp())
      order by w.id
      -- Held until the end, so that a workflow is deleted either before, and has no run, or after, and takes this one along.
      for key share of w
      on conflict (workflow_id) do update set last_number = c.last_number + excluded.last_number
      returning c.workflow_id, c.last_number
    ), numbered as (
      -- The count is that of the whole batch, so it is handed out backwards from there.
      select i.*, w.revision, w.name, w.date_last_run, clock_timestamp() as started_at,
        c.last_number + 1 - row_number() over (partition by i.workflow_id order by i.position desc)::integer as run_number
      from permitted i join counted c on c.workflow_id = i.workflow_id
      join workflows w on w.id = i.workflow_id and w.account_id = i.account_id
    ), inserted as (
      insert into runs (id, account_id, workflow_id, run_number, revision, run_by, processor_type, created_at, run_from, run_till,
                        date_last_run, counts_from, moves_date_last_run, webhook_ids, is_webhook_batch, retry_of, started_by, input, is_awaited,
                        is_error_run, parent_run_id, parent_item_index, parent_run, level, partial,
                        retry_of_number, items_retry_id)
      select n.run_id, n.account_id, n.workflow_id, n.run_number, n.revision, n.run_by,
        case when n.run_from is null and n.run_till is null then 'Standard' else 'Debug' end,
        n.started_at, n.run_from, n.run_till,
        case when r.id is null then n.date_last_run else r.date_last_run end,
        coalesce(r.counts_from, n.started_at), n.moves_date_last_run, n.webhook_ids::uuid[], n.is_webhook_batch, coalesce(r.root_id, n.items_root_id),
        n.started_by, coalesce(r.input, n.input), n.is_awaited, n.is_error_run, n.parent_run_id, n.parent_item_index,
        n.parent_run::jsonb, n.level, coalesce(r.partial, n.partial::jsonb),
        coalesce(r.run_number, n.items_run_number), case when n.items_root_id is not null then n.run_id else r.items_retry_id end
      from numbered n left join lateral (
        -- A retry sees what the failed run saw, and answers for the time since that one started.
        select o.id, o.run_number, o.items_retry_id, o.date_last_run, o.counts_from, o.input, o.partial, coalesce(o.retry_of, o.id) as root_id from runs o where o.id = n.reused_run_id and n.run_by = 'Retry'
      ) r on true
    )
    select run_id as id, run_number, revision, name from numbered`)
  return new Map(
    rows.map((row) => [
      row.id,
      { id: row.id, runNumber: row.run_number, revision: row.revision, workflowName: row.name },
    ]),
  )
}

/** The runs as rows. */
function given(runs: readonly NewRun[]): Sql {
  return sql`
  select * from unnest(
    ${runs.map((run) => run.id)}::uuid[],
    ${runs.map((run) => run.accountId)}::uuid[],
    ${runs.map((run) => run.workflowId)}::uuid[],
    ${runs.map((run) => run.runBy)}::text[],
    ${runs.map((run) => run.range?.runFromBlock ?? null)}::integer[],
    ${runs.map((run) => run.range?.runTillBlock ?? null)}::integer[],
    ${runs.map((run) => run.reusedRunId ?? null)}::uuid[],
    ${runs.map((run) => (run.webhookIds ? `{${run.webhookIds.join(',')}}` : null))}::text[],
    ${runs.map((run) => run.isWebhookBatch ?? false)}::boolean[],
    ${runs.map((run) => run.movesDateLastRun ?? true)}::boolean[],
    ${runs.map((run) => run.startedBy ?? null)}::uuid[],
    ${runs.map((run) => run.input ?? null)}::text[],
    ${runs.map((run) => run.isAwaited ?? false)}::boolean[],
    ${runs.map((run) => run.isErrorRun ?? false)}::boolean[],
    ${runs.map((run) => run.needsApplications ?? false)}::boolean[],
    ${runs.map((run) => run.mayBeArchived ?? false)}::boolean[],
    ${runs.map((run) => run.parent?.runId ?? null)}::uuid[],
    ${runs.map((run) => run.parent?.itemIndex ?? null)}::integer[],
    ${runs.map((run) => (run.parent ? JSON.stringify(run.parent.shown) : null))}::text[],
    ${runs.map((run) => run.parent?.level ?? 1)}::integer[],
    ${runs.map((run) => (run.partial ? JSON.stringify(run.partial) : null))}::text[],
    ${runs.map((run) => run.itemsOf?.rootRunId ?? null)}::uuid[],
    ${runs.map((run) => run.itemsOf?.runNumber ?? null)}::integer[]
  ) with ordinality
    as i (run_id, account_id, workflow_id, run_by, run_from, run_till, reused_run_id, webhook_ids, is_webhook_batch, moves_date_last_run, started_by,
      input, is_awaited, is_error_run, needs_applications, may_be_archived, parent_run_id, parent_item_index,
      parent_run, level, partial, items_root_id, items_run_number, position)`
}

/** A run whose start was made final although nobody heard of it. */
export async function findStarted(db: Queryable, id: string): Promise<InsertedRun | undefined> {
  const { rows } = await db.query<{ run_number: number; revision: number; name: string }>(sql`
    select r.run_number, r.revision, w.name from runs r join workflows w on w.id = r.workflow_id where r.id = ${id}`)
  const row = rows[0]
  return row && { id, runNumber: row.run_number, revision: row.revision, workflowName: row.name }
}

/** Lets a run begin with the results of another: of all blocks that ended well there, or of those that are named. */
export async function copyBlocks(
  tx: Queryable,
  copy: { fromRunId: string; toRunId: string; accountId: string; blockIds: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    insert into run_blocks (run_id, block_id, account_id, seq, status, is_reused, result, log, session, started_at, ended_at, pause_ms, item_count,
      vault_ranges)
    select ${copy.toRunId}, block_id, account_id, seq, status, true, result, log, session, started_at, ended_at, 0, item_count, vault_ranges
    from run_blocks
    where run_id = ${copy.fromRunId} and account_id = ${copy.accountId} and status in ('Ready', 'Skipped') and block_id = any(${copy.blockIds}::uuid[])`)
}

/** Blocks that this run has nothing to do with: before all others, so that what they leave behind is that of the last one before. */
export async function passOver(
  tx: Queryable,
  pass: { runId: string; accountId: string; blockIds: readonly string[]; status: 'Ready' | 'Skipped' },
): Promise<void> {
  await tx.query(sql`
    insert into run_blocks (run_id, block_id, account_id, seq, status, is_reused, result, started_at, ended_at, pause_ms)
    select ${pass.runId}, block_id, ${pass.accountId}, 0, ${pass.status}, true, 'null', clock_timestamp(), clock_timestamp(), 0
    from unnest(${pass.blockIds}::uuid[]) as p (block_id)
    on conflict do nothing`)
}

export async function findWorkflowState(
  db: Queryable,
  accountId: string,
  workflowId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ state: string }>(
    sql`select state from workflows where account_id = ${accountId} and id = ${workflowId}`,
  )
  return rows[0]?.state
}

type Obstacle = { state: string; missing: string[]; isBeingDeleted: boolean }

/** What a workflow lacks that a run could not be started of. */
export async function findObstacle(
  db: Queryable,
  accountId: string,
  workflowId: string,
): Promise<Obstacle | undefined> {
  const { rows } = await db.query<{ state: string; missing: string[]; is_being_deleted: boolean }>(sql`
    select w.state, coalesce(w.deleting_until > clock_timestamp(), false) as is_being_deleted, array(${missingApplications} order by 1) as missing
    from workflows w where w.account_id = ${accountId} and w.id = ${workflowId}`)
  const row = rows[0]
  return row && { state: row.state, missing: row.missing, isBeingDeleted: row.is_being_deleted }
}

export async function updateDeferred(
  tx: Queryable,
  { runId, blockId, accountId, sealed }: { runId: string; blockId: string; accountId: string; sealed: Buffer | null },
): Promise<void> {
  await tx.query(sql`
    update run_blocks set sealed_deferred = ${sealed} where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId}`)
}
