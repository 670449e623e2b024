// Runs after failures, started in the transaction that hands on the events that tell of them: exactly once for each.
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import { actsFor } from '../../events/index.ts'
import type { RunStarter } from '../start/starter.ts'

export async function startErrorRuns(starter: RunStarter, tx: Tx, eventIds: readonly string[]): Promise<void> {
  const wanted = await listWanted(tx, eventIds)
  await starter.startAllIn(
    tx,
    wanted.map(({ account_id, workflow_id, data }) => ({
      accountId: account_id,
      workflowId: workflow_id,
      runBy: 'Workflow',
      input: data,
      isErrorRun: true,
    })),
  )
}

type Wanted = { account_id: string; workflow_id: string; data: string }

/** Not for failures of the workflow itself, nor of any that was started here. */
async function listWanted(tx: Queryable, eventIds: readonly string[]): Promise<Wanted[]> {
  const { rows } = await tx.query<Wanted>(sql`
    with failed as materialized (
      select e.account_id, (e.payload::json -> 'data')::text as data, (e.payload::json #>> '{data,workflowId}')::uuid as workflow_id,
        (e.payload::json #>> '{data,runNumber}')::integer as run_number
      from events e where e.id = any(${eventIds}::uuid[]) and e.type = 'run.failed'
        -- What a skip script failed on had no run.
        and e.payload::json #> '{data,runNumber}' is not null
    )
    select x.account_id, x.workflow_id, x.data from (
      select x.account_id, x.workflow_id, f.data, f.workflow_id as failed_id, f.run_number
      from failed f join error_workflows x on x.account_id = f.account_id and x.scope = 'account'
      union all
      select x.account_id, x.workflow_id, f.data, f.workflow_id, f.run_number
      from failed f join accounts a on a.id = f.account_id join error_workflows x on x.scope = 'managed'
      join accounts o on o.id = x.account_id and ${actsFor}
    ) x
    where x.workflow_id <> x.failed_id
      and not exists (select from runs r where r.workflow_id = x.failed_id and r.run_number = x.run_number and r.is_error_run)`)
  return rows
}
