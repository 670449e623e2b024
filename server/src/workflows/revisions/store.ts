import type { RevisionReason } from '@patchbay/contract'
import { type Queryable, sql } from '../../db/index.ts'

export type RevisionItem = {
  revision: number
  createDateTimeUTC: string
  accountId: string | null
  email: string | null
  reason: RevisionReason
  templateVersion: string | null
  isCurrent: boolean
}

type RevisionRow = {
  revision: number
  created_at: Date
  created_by: string | null
  email: string | null
  reason: RevisionReason
  template_version: string | null
  is_current: boolean
}

/** Newest first. Nothing when the account has no such workflow: every workflow has its first revision. */
export async function listRevisions(
  db: Queryable,
  accountId: string,
  workflowId: string,
  { page, size }: { page: number; size: number },
): Promise<{ items: RevisionItem[]; total: number }> {
  const [list, count] = await Promise.all([
    db.query<RevisionRow>(sql`
      select r.revision, r.created_at, r.created_by, a.email, r.reason, r.template_version, r.revision = w.revision as is_current
      from workflow_revisions r join workflows w on w.id = r.workflow_id left join accounts a on a.id = r.created_by
      where r.account_id = ${accountId} and r.workflow_id = ${workflowId}
      order by r.revision desc limit ${size} offset ${page * size}`),
    db.query<{ total: number }>(sql`
      select count(*) as total from workflow_revisions where account_id = ${accountId} and workflow_id = ${workflowId}`),
  ])
  return { items: list.rows.map(toItem), total: count.rows[0]?.total ?? 0 }
}

function toItem(row: RevisionRow): RevisionItem {
  return {
    revision: row.revision,
    createDateTimeUTC: row.created_at.toISOString(),
    accountId: row.created_by,
    email: row.email,
    reason: row.reason,
    templateVersion: row.template_version,
    isCurrent: row.is_current,
  }
}
