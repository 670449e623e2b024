import type { AuditAction } from '@patchbay/contract'
import type { TestService } from '../../harness/service.ts'

type Row = {
  action: AuditAction
  target: string | null
  accountId: string | null
  managedAccountId: string | null
  keyId: string | null
  address: string | null
}

/** Everything that was written since, by whomever. */
export async function rowsAfter(service: TestService, id: number): Promise<Row[]> {
  const columns = 'account_id as "accountId", managed_account_id as "managedAccountId", key_id as "keyId"'
  const rows = await service.asOwner(
    `select action, target, ${columns}, address from audit_log where id > $1 order by id`,
    [id],
  )
  return rows as Row[]
}

export async function newestRow(service: TestService): Promise<number> {
  return Number((await service.asOwner('select max(id) as id from audit_log'))[0]?.['id'] ?? 0)
}
