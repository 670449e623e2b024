import { accountsInReach, type Reach } from '../../access/index.ts'
import { type Queryable, type Sql, sql, when } from '../../db/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { FormField } from './form-values.ts'

export type Decision = {
  by: string
  approved: boolean
  comment: string | null
  form: JsonObject | null
  dateTimeUTC: string
}

export type ApprovalOutcome = 'approved' | 'rejected' | 'timedOut' | 'resumed' | 'stopped'

export type Approval = {
  id: string
  accountId: string
  workflowId: string
  workflowName: string
  runId: string
  runNumber: number
  uniqueBlockId: string
  itemIndex: number
  itemKey: string | null
  title: string
  message: string | null
  to: string[]
  form: FormField[]
  countNeeded: number
  decisions: Decision[]
  outcome: ApprovalOutcome | null
  createdAt: Date
  timeoutAt: Date
}

export type NewApproval = Omit<Approval, 'workflowName' | 'decisions' | 'outcome' | 'createdAt'>

export async function insertApproval(tx: Queryable, approval: NewApproval): Promise<void> {
  const { id, accountId, workflowId, runId, runNumber, uniqueBlockId, itemIndex, itemKey } = approval
  await tx.query(sql`
    insert into approvals (id, account_id, workflow_id, run_id, run_number, block_id, item_index, item_key, title, message, recipients, form, count_needed,
      timeout_at)
    values (${id}, ${accountId}, ${workflowId}, ${runId}, ${runNumber}, ${uniqueBlockId}, ${itemIndex}, ${itemKey}, ${approval.title}, ${approval.message},
      ${approval.to}, ${JSON.stringify(approval.form)}, ${approval.countNeeded}, ${approval.timeoutAt})`)
}

export type Link = { tokenHash: Buffer; email: string }

export async function insertLinks(
  tx: Queryable,
  { id, accountId }: Pick<Approval, 'id' | 'accountId'>,
  links: readonly Link[],
): Promise<void> {
  await tx.query(sql`
    insert into approval_links (token_hash, approval_id, account_id, email)
    select l.token_hash, ${id}, ${accountId}, l.email
    from unnest(${links.map(({ tokenHash }) => tokenHash)}::bytea[], ${links.map(({ email }) => email)}::text[]) as l (token_hash, email)`)
}

/** Who holds the link is not known yet, so this reads past the walls between accounts. */
export async function findLink(db: Queryable, tokenHash: Buffer) {
  const { rows } = await db.query<{
    approval_id: string
    account_id: string
    organization_id: string
    email: string
  }>(sql`
    select l.approval_id, l.account_id, a.organization_id, l.email
    from approval_links l join accounts a on a.id = l.account_id and a.state = 'active' where l.token_hash = ${tokenHash}`)
  const row = rows[0]
  return (
    row && {
      approvalId: row.approval_id,
      accountId: row.account_id,
      organizationId: row.organization_id,
      email: row.email,
    }
  )
}

type Row = {
  id: string
  account_id: string
  workflow_id: string
  workflow_name: string
  run_id: string
  run_number: number
  block_id: string
  item_index: number
  item_key: string | null
  title: string
  message: string | null
  recipients: string[]
  form: FormField[]
  count_needed: number
  decisions: Decision[]
  outcome: ApprovalOutcome | null
  created_at: Date
  timeout_at: Date
}

function toApproval(row: Row): Approval {
  return {
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    runId: row.run_id,
    runNumber: row.run_number,
    uniqueBlockId: row.block_id,
    itemIndex: row.item_index,
    itemKey: row.item_key,
    title: row.title,
    message: row.message,
    to: row.recipients,
    form: row.form,
    countNeeded: row.count_needed,
    decisions: row.decisions,
    outcome: row.outcome,
    createdAt: row.created_at,
    timeoutAt: row.timeout_at,
  }
}

export async function findApproval(
  db: Queryable,
  accountId: string,
  id: string,
  lock: 'lock' | 'read' = 'read',
): Promise<Approval | undefined> {
  const { rows } = await db.query<Row>(sql`
    select p.*, w.name as workflow_name from approvals p join workflows w on w.id = p.workflow_id
    where p.account_id = ${accountId} and p.id = ${id} ${when(lock === 'lock' || undefined, () => sql`for update of p`)}`)
  return rows[0] && toApproval(rows[0])
}

export async function listApprovalPage(
  db: Queryable,
  reach: Reach,
  query: { page: number; size: number; isOpen: boolean | undefined },
): Promise<{ approvals: Approval[]; total: number }> {
  const isOpen = (open: boolean): Sql => (open ? sql`and p.outcome is null` : sql`and p.outcome is not null`)
  const matching = sql`from approvals p join accounts a on a.id = p.account_id join workflows w on w.id = p.workflow_id
    where ${accountsInReach(reach)} ${when(query.isOpen, isOpen)}`
  const [page, count] = await Promise.all([
    db.query<Row>(sql`
      select p.*, w.name as workflow_name ${matching} order by p.created_at desc, p.id limit ${query.size} offset ${query.page * query.size}`),
    db.query<{ total: number }>(sql`select count(*)::integer as total ${matching}`),
  ])
  return { approvals: page.rows.map(toApproval), total: count.rows[0]?.total ?? 0 }
}

/** The approval must be locked. */
export async function updateDecisions(
  tx: Queryable,
  id: string,
  { decisions, outcome }: Pick<Approval, 'decisions' | 'outcome'>,
): Promise<void> {
  await tx.query(
    sql`update approvals set decisions = ${JSON.stringify(decisions)}, outcome = ${outcome} where id = ${id}`,
  )
}
