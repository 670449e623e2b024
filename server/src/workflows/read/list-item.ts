import { type Queryable, sql } from '../../db/index.ts'
import type { WorkflowState } from '../definition/definition.ts'

export type WorkflowItemRow = {
  id: string
  name: string
  description: string
  state: WorkflowState
  revision: number
  workflow_template_id: string | null
  template_version: string | null
  is_customized_structure: boolean
  applications: Record<string, string>
  is_scheduled: boolean
  schedule_frequency: string | null
  schedule_time_zone: string | null
  next_run_at: Date | null
  is_auto_run_paused: boolean
  is_webhook_active: boolean
  date_last_run: Date | null
  last_run_number: number | null
  last_run_status: string | null
  tags: string[]
  created_at: Date
  modified_at: Date
}

/** Null while nothing will run by itself: the account is not active, or a connection is faulted. Paused by its failures, it tries now and then; paused by hand, never. */
export const nextRunAt = sql`case
    when exists (select from accounts o where o.id = w.account_id and o.state <> 'active') then null
    when w.next_try_at is not null then nullif(w.next_try_at, 'infinity')
    when not w.is_auto_run_paused then w.next_run_at end`

export const itemColumns = sql`w.id, w.name, w.description, w.state, w.revision, w.workflow_template_id, w.template_version, w.is_customized_structure,
  w.applications, w.is_scheduled, w.schedule_frequency, w.schedule_time_zone, ${nextRunAt} as next_run_at, w.is_auto_run_paused, w.is_webhook_active, w.date_last_run,
  w.last_run_number, w.last_run_status, w.created_at, w.modified_at,
  array(select t.value from tags t where t.organization_id = w.organization_id and t.entity_type = 'workflow' and t.entity_id = w.id
        order by t.value) as tags`

export async function findItem(db: Queryable, accountId: string, id: string): Promise<WorkflowItemRow | undefined> {
  const { rows } = await db.query<WorkflowItemRow>(
    sql`select ${itemColumns} from workflows w where w.account_id = ${accountId} and w.id = ${id}`,
  )
  return rows[0]
}

/** A `WorkflowListApiDto`. */
export function toItem(row: WorkflowItemRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    workflowState: row.state,
    revision: row.revision,
    workflowTemplateId: row.workflow_template_id,
    templateVersion: row.template_version,
    isCustomizedStructure: row.is_customized_structure,
    applications: row.applications,
    isScheduled: row.is_scheduled,
    scheduleFrequency: row.schedule_frequency,
    timeZone: row.schedule_time_zone,
    nextRunDateTimeUTC: row.next_run_at?.toISOString() ?? null,
    isAutoRunPaused: row.is_auto_run_paused,
    isWebhookActive: row.is_webhook_active,
    dateLastRunUTC: row.date_last_run?.toISOString() ?? null,
    lastRunNumber: row.last_run_number,
    lastRunStatus: row.last_run_status,
    tags: row.tags,
    createDateTimeUTC: row.created_at.toISOString(),
    modifyDateTimeUTC: row.modified_at.toISOString(),
  }
}
