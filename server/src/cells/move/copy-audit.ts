// The audit log and its chain. The other database numbers the rows anew, and numbers are part of what the chain proves: so the chain is checked to its
// end here and made again there. A log that does not fit is not moved, or the move would make tampering good.
import { auditTables, type ChainedRow, chainedColumns, chainStart, hashRow } from '../../audit/index.ts'
import { type CopyDeps, stageTable, withRole } from './copy-rows.ts'
import { MoveError } from './move-error.ts'
import type { MovedTable } from './tables.ts'

const rowsAtOnce = 5000

type StagedRow = ChainedRow & { position: string | null; hash: Buffer | null; new_id: number }

export async function copyAudit(deps: CopyDeps, tables: readonly MovedTable[], key: Buffer): Promise<number> {
  const { target } = deps
  for (const name of auditTables) await stageTable(deps, tables.find((table) => table.name === name) as MovedTable)
  await target.query(`create temporary table moving_audit on commit drop as
    select nextval(pg_get_serial_sequence('patchbay.audit_log', 'id')) as new_id, o.* from (
      select l.*, c.position, c.hash from moving_audit_log l left join moving_audit_chain c on c.audit_id = l.id
      order by c.position nulls last, l.id) o`)
  await target.query('grant select on moving_audit to patchbay_system')
  await withRole(target, () =>
    target.query(`insert into audit_log (id, at, organization_id, account_id, managed_account_id, key_id, address, action, target, details)
      overriding system value
      select new_id, at, organization_id, account_id, managed_account_id, key_id, address, action, target, details from moving_audit`),
  )
  const { rows: starts } = await target.query<{ hash: Buffer }>('select hash from moving_audit_chain_starts')
  await withRole(target, () =>
    target.query(
      'insert into audit_chain_starts (organization_id, hash) select organization_id, hash from moving_audit_chain_starts',
    ),
  )
  return chainAnew(deps, key, starts[0]?.hash ?? chainStart)
}

async function chainAnew({ target, organization }: CopyDeps, key: Buffer, start: Buffer): Promise<number> {
  let [before, newBefore] = [start, start]
  let count = 0
  for (let after = 0; ; ) {
    const { rows } = await target.query<StagedRow>(
      `select a.new_id, a.position, a.hash, ${chainedColumns.toQuery().text} from moving_audit a where a.new_id > $1 order by a.new_id limit ${rowsAtOnce}`,
      [after],
    )
    const links = rows.map((row) => {
      if (row.hash !== null && !hashRow(key, before, row).equals(row.hash)) {
        throw new MoveError(
          `The audit log of the organization does not match at row ${row.id}: it, or the row before it, was changed or removed. See npm run admin -- verify-audit.`,
        )
      }
      before = row.hash ?? before
      newBefore = hashRow(key, newBefore, { ...row, id: row.new_id })
      return newBefore
    })
    await withRole(target, () =>
      target.query(
        `insert into audit_chain (audit_id, organization_id, hash)
         select u.audit_id, $1, u.hash from unnest($2::bigint[], $3::bytea[]) with ordinality as u (audit_id, hash, no) order by u.no`,
        [organization.id, rows.map((row) => row.new_id), links],
      ),
    )
    count += rows.length
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return count
    after = last.new_id
  }
}
