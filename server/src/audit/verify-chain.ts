// npm run admin -- verify-audit: reads every chain from its start to its end.
import { type Database, sql } from '../db/index.ts'
import { type ChainedRow, chainedColumns, chainStart, hashRow } from './chain.ts'

export type AuditCheck = {
  rowsChecked: number
  /** The first row that does not match, in words; undefined when all do. */
  fault: string | undefined
}

const rowsAtOnce = 5_000
/** Younger rows may not have been chained yet. */
const unchainedSecondsMax = 60

type LinkRow = ChainedRow & { position: number; audit_id: number; link_organization_id: string; hash: Buffer }

export async function verifyAuditChain(database: Database, key: Buffer): Promise<AuditCheck> {
  for (;;) {
    const starts = await findStarts(database)
    const check = await verifyFrom(database, key, new Map(starts))
    // Retention may have taken the beginning away while it was read.
    if (check.fault === undefined || isSame(starts, await findStarts(database))) return check
  }
}

function isSame(one: Map<string, Buffer>, other: Map<string, Buffer>): boolean {
  return one.size === other.size && [...one].every(([id, hash]) => other.get(id)?.equals(hash))
}

async function verifyFrom(database: Database, key: Buffer, heads: Map<string, Buffer>): Promise<AuditCheck> {
  let rowsChecked = 0
  let after = 0
  for (;;) {
    const links = await listLinks(database, after)
    for (const link of links) {
      const fault = checkLink(key, heads, link)
      if (fault !== undefined) return { rowsChecked, fault }
      rowsChecked++
    }
    const last = links.at(-1)
    if (!last || links.length < rowsAtOnce) break
    after = last.position
  }
  return { rowsChecked, fault: await findUnchained(database) }
}

function checkLink(key: Buffer, heads: Map<string, Buffer>, link: LinkRow): string | undefined {
  const organizationId = link.link_organization_id
  if (link.id === null) return `Row ${link.audit_id} of organization ${organizationId} is missing.`
  const expected = hashRow(key, heads.get(organizationId) ?? chainStart, link)
  heads.set(organizationId, link.hash)
  if (expected.equals(link.hash)) return undefined
  return `Row ${link.audit_id} of organization ${organizationId} does not match: it, or the row before it, was changed or removed.`
}

async function findStarts(database: Database): Promise<Map<string, Buffer>> {
  const { rows } = await database.system.query<{ organization_id: string; hash: Buffer }>(
    sql`select organization_id, hash from audit_chain_starts`,
  )
  return new Map(rows.map(({ organization_id, hash }) => [organization_id, hash]))
}

async function listLinks(database: Database, after: number): Promise<LinkRow[]> {
  const { rows } = await database.system.query<LinkRow>(sql`
    select c.position, c.audit_id, c.organization_id as link_organization_id, c.hash, ${chainedColumns}
    from audit_chain c left join audit_log a on a.id = c.audit_id
    where c.position > ${after} order by c.position limit ${rowsAtOnce}`)
  return rows
}

/** A row that nobody chained was put in past the service, or its link was removed. */
async function findUnchained(database: Database): Promise<string | undefined> {
  const { rows } = await database.system.query<{ id: number; organization_id: string }>(sql`
    select a.id, a.organization_id from audit_log a
    where a.at < now() - ${unchainedSecondsMax}::integer * interval '1 second' and not exists (select from audit_chain c where c.audit_id = a.id)
    order by a.id limit 1`)
  const row = rows[0]
  return (
    row &&
    `Row ${row.id} of organization ${row.organization_id} is not part of the chain. If no worker was running, start one and check again in a minute; otherwise somebody changed the database directly.`
  )
}
