import { type Queryable, sql } from '../../db/index.ts'
import type { StartableWorkflow } from '../queue/feed-store.ts'

export async function findCheckSettings(
  db: Queryable,
  workflowId: string,
): Promise<{ skipScript: string; dateLastRun: Date | null }> {
  const { rows } = await db.query<{ skip_script: string; date_last_run: Date | null }>(sql`
    select coalesce(h.skip_script, '') as skip_script, w.date_last_run
    from workflows w left join webhooks h on h.workflow_id = w.id where w.id = ${workflowId}`)
  return { skipScript: rows[0]?.skip_script ?? '', dateLastRun: rows[0]?.date_last_run ?? null }
}

/** False when people have been told already that the workflow fails, and not yet that it works again. */
export async function markFailureTold(tx: Queryable, workflowId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update workflows set is_failure_told = true where id = ${workflowId} and not is_failure_told`)
  return rowCount > 0
}

/** Undefined when the workflow is gone. `canRun` is false when it was stopped in one way or another while the script looked. */
export async function findForCheck(
  tx: Queryable,
  accountId: string,
  workflowId: string,
  isTry: boolean,
): Promise<(StartableWorkflow & { canRun: boolean }) | undefined> {
  const { rows } = await tx.query<{
    is_batch: boolean
    batch_size: number
    moves_date_last_run: boolean
    answers: boolean
    can_run: boolean
  }>(sql`
    select coalesce(h.is_batch, false) as is_batch, coalesce(h.batch_size, 1) as batch_size,
      coalesce(h.moves_date_last_run, false) as moves_date_last_run, coalesce(h.respond_with = 'result', false) as answers,
      w.state = 'deployed' and not coalesce(h.is_held, false)
        and case when ${isTry} then not has_faulted_application(w.id) else not w.is_auto_run_paused end as can_run
    from workflows w left join webhooks h on h.workflow_id = w.id
    where w.account_id = ${accountId} and w.id = ${workflowId}`)
  const row = rows[0]
  return (
    row && {
      workflowId,
      isBatch: row.is_batch,
      batchSize: row.batch_size,
      hasSkipScript: true,
      movesDateLastRun: row.moves_date_last_run,
      answers: row.answers,
      isTry,
      canRun: row.can_run,
    }
  )
}
