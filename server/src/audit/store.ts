import type { AuditAction } from '@patchbay/contract'
import { type Db, sql, when } from '../db/index.ts'

export type AuditQuery = { page: number; size: number; from: string | undefined; to: string | undefined }

type AuditRow = {
  id: number
  at: Date
  account_id: string | null
  managed_account_id: string | null
  key_id: string | null
  address: string | null
  action: AuditAction
  target: string | null
  details: unknown
  hash: Buffer | null
}

export async function listAudit(db: Db, organizationId: string, query: AuditQuery) {
  const matching = sql`organization_id = ${organizationId}
    ${when(query.from, (from) => sql`and at >= ${from}`)} ${when(query.to, (to) => sql`and at < ${to}`)}`
  const [page, count] = await Promise.all([
    db.query<AuditRow>(sql`select id, at, account_id, managed_account_id, key_id, address, action, target, details,
        (select c.hash from audit_chain c where c.audit_id = audit_log.id) as hash
      from audit_log where ${matching} order by id desc limit ${query.size} offset ${query.page * query.size}`),
    db.query<{ total: number }>(sql`select count(*) as total from audit_log where ${matching}`),
  ])
  return { items: page.rows.map(toEntry), total: count.rows[0]?.total ?? 0 }
}

function toEntry(row: AuditRow) {
  return {
    id: row.id,
    dateTimeUTC: row.at.toISOString(),
    accountId: row.account_id,
    managedAccountId: row.managed_account_id,
    keyId: row.key_id,
    address: row.address,
    action: row.action,
    target: row.target,
    details: row.details,
    hash: row.hash?.toString('hex') ?? null,
  }
}
