// Workflows that somebody chose for a bulk action, with what decides whether the action means anything to each.
import { type AccountIdentity, accountName, accountsInReach, type Reach, toIdentity } from '../../access/index.ts'
import { type Queryable, type Sql, sql } from '../../db/index.ts'
import type { WorkflowState } from '../definition/definition.ts'
import type { WorkflowCatalog } from '../ports.ts'
import { matchWorkflows, type WorkflowFilter } from '../read/matching.ts'

export type ChosenWorkflow = {
  id: string
  name: string
  state: WorkflowState
  revision: number
  isPaused: boolean
  isPausedByHand: boolean
  lastRunNumber: number | null
  lastRunStatus: string | null
  tags: string[]
  account: AccountIdentity
  accountName: string
}

export type Choice = { ids: readonly string[] } | { filter: WorkflowFilter }

/** In order of name; at most `most`. `db` must see every account in reach. */
export async function listChosen(
  { db, catalog }: { db: Queryable; catalog: WorkflowCatalog },
  reach: Reach,
  choice: Choice,
  most: number,
): Promise<ChosenWorkflow[]> {
  const chosen: Sql =
    'ids' in choice
      ? sql`w.id = any(${choice.ids}::uuid[]) and ${accountsInReach(reach)}`
      : await matchWorkflows(catalog, reach, choice.filter)
  const { rows } = await db.query<Row>(sql`
    select w.id, w.name, w.state, w.revision, w.is_auto_run_paused as is_paused, coalesce(w.next_try_at = 'infinity', false) as is_paused_by_hand,
      w.last_run_number, w.last_run_status, ${accountName} as account_name,
      array(select t.value from tags t where t.organization_id = w.organization_id and t.entity_type = 'workflow' and t.entity_id = w.id) as tags,
      a.id as account_id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key
    from workflows w join accounts a on a.id = w.account_id join organizations o on o.id = a.organization_id
    where ${chosen} order by lower(w.name), w.id limit ${most}`)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: row.state,
    revision: row.revision,
    isPaused: row.is_paused,
    isPausedByHand: row.is_paused_by_hand,
    lastRunNumber: row.last_run_number,
    lastRunStatus: row.last_run_status,
    tags: row.tags,
    account: toIdentity({ ...row, id: row.account_id }),
    accountName: row.account_name,
  }))
}

type Row = Parameters<typeof toIdentity>[0] & {
  id: string
  name: string
  state: WorkflowState
  revision: number
  is_paused: boolean
  is_paused_by_hand: boolean
  last_run_number: number | null
  last_run_status: string | null
  account_name: string
  account_id: string
  tags: string[]
}
