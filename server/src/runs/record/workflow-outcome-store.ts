// What the end of runs means for their workflows: the last status, dateLastRun, and automatic runs that fail again and again.
import { type Queryable, sql } from '../../db/index.ts'

/** Automatic runs that fail in a row before the workflow is paused. */
const autoFailuresMax = 10

/** The ends of one workflow's runs in one transaction, taken together. */
export type WorkflowOutcome = {
  workflowId: string
  /** The highest number among them, with its status. */
  runNumber: number
  status: string
  /** Null when dateLastRun stays. */
  dateLastRun: Date | null
  hasSucceeded: boolean
  /** Automatic runs that failed after the last success among them. */
  autoFailures: number
  /** Whether the last run that counts failed; null when none counts. */
  isFailing: boolean | null
}

export type OutcomeEffect = {
  workflowId: string
  name: string
  organizationId: string
  wasFailing: boolean
  /** Somebody was mailed that it fails, and not yet that it works again. */
  wasTold: boolean
  /** By its failures, before and after. */
  wasPaused: boolean
  isPaused: boolean
}

export async function updateFailuresTold(
  tx: Queryable,
  workflowIds: readonly string[],
  isTold: boolean,
): Promise<void> {
  if (workflowIds.length === 0) return
  await tx.query(sql`update workflows set is_failure_told = ${isTold} where id = any(${workflowIds}::uuid[])`)
}

export async function updateWorkflowOutcomes(
  tx: Queryable,
  outcomes: readonly WorkflowOutcome[],
): Promise<OutcomeEffect[]> {
  // Locked by a statement of its own, so that the next one begins with the rows as they are now. One that locked and updated them by itself would
  // come back to versions that others wait behind, and workers that end runs of one workflow would lock each other out.
  void tx.query(sql`
    select from workflows where id = any(${outcomes.map((outcome) => outcome.workflowId)}::uuid[]) order by id for no key update`)
  const { rows } = await tx.query<{
    id: string
    name: string
    organization_id: string
    was_failing: boolean
    was_told: boolean
    was_paused: boolean
    is_paused: boolean
  }>(sql`
    with input as materialized (
      select * from unnest(
        ${outcomes.map((outcome) => outcome.workflowId)}::uuid[],
        ${outcomes.map((outcome) => outcome.runNumber)}::integer[],
        ${outcomes.map((outcome) => outcome.status)}::text[],
        ${outcomes.map((outcome) => outcome.dateLastRun)}::timestamptz[],
        ${outcomes.map((outcome) => outcome.hasSucceeded)}::boolean[],
        ${outcomes.map((outcome) => outcome.autoFailures)}::integer[],
        ${outcomes.map((outcome) => outcome.isFailing)}::boolean[]
      ) as i (workflow_id, run_number, status, date_last_run, has_succeeded, auto_failures, is_failing)
    ), locked as materialized (
      select w.id, w.is_failing as was_failing, w.next_try_at is not null as was_paused, w.next_try_at = 'infinity' as is_by_hand,
        case when i.has_succeeded or w.next_try_at is null then 0 else w.pause_tries end as tries,
        case when i.has_succeeded then 0 else w.auto_failures end + i.auto_failures as failures
      from input i join workflows w on w.id = i.workflow_id
      order by w.id for no key update of w
    )
    update workflows w set
      last_run_number = greatest(w.last_run_number, i.run_number),
      last_run_status = case when w.last_run_number > i.run_number then w.last_run_status else i.status end,
      date_last_run = greatest(w.date_last_run, i.date_last_run),
      auto_failures = l.failures,
      is_failing = coalesce(i.is_failing, w.is_failing),
      pause_tries = l.tries,
      -- What a person has paused, only a person resumes.
      next_try_at = case
        when l.is_by_hand then w.next_try_at
        when i.auto_failures > 0 and l.failures >= ${autoFailuresMax} then clock_timestamp() + wait_before_try(l.tries)
        when i.has_succeeded then null
        else w.next_try_at end,
      is_auto_run_paused = case
        when l.is_by_hand then w.is_auto_run_paused
        when i.auto_failures > 0 and l.failures >= ${autoFailuresMax} then true
        when i.has_succeeded and w.is_auto_run_paused then has_faulted_application(w.id)
        else w.is_auto_run_paused end
    from locked l join input i on i.workflow_id = l.id
    where w.id = l.id
    returning w.id, w.name, w.organization_id, l.was_failing, w.is_failure_told as was_told, l.was_paused, w.next_try_at is not null as is_paused`)
  return rows.map((row) => ({
    workflowId: row.id,
    name: row.name,
    organizationId: row.organization_id,
    wasFailing: row.was_failing,
    wasTold: row.was_told,
    wasPaused: row.was_paused,
    isPaused: row.is_paused,
  }))
}
