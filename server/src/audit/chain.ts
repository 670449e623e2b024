// The chain over the audit log of each organization:
//
//   hash(row) = HMAC-SHA256(key, hash of the row before · row)
//
// The key is the installation's own: whoever can write to the database can remove the end of the log unseen, but cannot change, insert or
// remove anything before it and make the hashes fit again.
import { createHmac } from 'node:crypto'
import { type Database, type Queryable, sql } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'

export type ChainedRow = {
  id: number
  organization_id: string
  at_us: string
  account_id: string | null
  managed_account_id: string | null
  key_id: string | null
  address: string | null
  action: string
  target: string | null
  details: string | null
}

/** The log, its chain, and where the chain of an organization begins. */
export const auditTables = ['audit_log', 'audit_chain', 'audit_chain_starts']

/** Everything the hash covers, as the database writes it. */
export const chainedColumns = sql`a.id, a.organization_id, (extract(epoch from a.at) * 1000000)::bigint::text as at_us, a.account_id,
  a.managed_account_id, a.key_id, a.address, a.action, a.target, a.details::text as details`

export const chainStart = Buffer.alloc(32)

export function hashRow(key: Buffer, before: Buffer, row: ChainedRow): Buffer {
  const fields = [
    row.id,
    row.organization_id,
    row.at_us,
    row.account_id,
    row.managed_account_id,
    row.key_id,
    row.address,
    row.action,
    row.target,
    row.details,
  ]
  return createHmac('sha256', key).update(before).update(JSON.stringify(fields)).digest()
}

const chainMs = 1_000
const rowsAtOnce = 5_000
/** No transaction of ours lasts longer, so older rows were all seen; a full look now and then finds what took longer all the same. */
const lookBackMinutes = 30
const fullLookMs = 60 * 60_000

export class AuditChain implements AsyncDisposable {
  readonly #database: Database
  readonly #key: Buffer
  readonly #chaining: Recurring
  #fullLookAt = 0

  constructor(database: Database, key: Buffer, onFault: (error: unknown) => void) {
    this.#database = database
    this.#key = key
    this.#chaining = new Recurring(() => this.chainAll(), { pauseMs: chainMs, onFault })
  }

  start(): void {
    this.#chaining.startNow()
  }

  async chainAll(): Promise<void> {
    const isFull = Date.now() >= this.#fullLookAt
    let count: number | undefined = rowsAtOnce
    while (!this.#chaining.isStopping && count === rowsAtOnce) count = await this.#chainSome(isFull)
    // While another process is at it, nothing was looked at here.
    if (isFull && count !== undefined) this.#fullLookAt = Date.now() + fullLookMs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chaining[Symbol.asyncDispose]()
  }

  /** How many rows were chained; undefined while another process does it. */
  #chainSome(isFull: boolean): Promise<number | undefined> {
    return this.#database.system.transaction(async (tx) => {
      // One process at a time, or two rows would follow the same one.
      const { rows: locks } = await tx.query<{ mine: boolean }>(
        sql`select pg_try_advisory_xact_lock(7230118447) as mine`,
      )
      if (!locks[0]?.mine) return undefined
      const recent = isFull ? sql`true` : sql`a.at > now() - ${lookBackMinutes}::integer * interval '1 minute'`
      const { rows } = await tx.query<ChainedRow>(sql`
        select ${chainedColumns} from audit_log a
        where ${recent} and not exists (select from audit_chain c where c.audit_id = a.id) order by a.id limit ${rowsAtOnce}`)
      if (rows.length === 0) return 0
      const heads = await findHeads(tx, [...new Set(rows.map((row) => row.organization_id))])
      const hashes = rows.map((row) => {
        const hash = hashRow(this.#key, heads.get(row.organization_id) ?? chainStart, row)
        heads.set(row.organization_id, hash)
        return hash
      })
      await tx.query(sql`
        insert into audit_chain (audit_id, organization_id, hash)
        select audit_id, organization_id, hash from unnest(${rows.map(({ id }) => id)}::bigint[],
          ${rows.map((row) => row.organization_id)}::uuid[], ${hashes}::bytea[]) with ordinality as given (audit_id, organization_id, hash, no)
        order by no`)
      return rows.length
    })
  }
}

/** The hash that the next row of each organization follows. */
async function findHeads(tx: Queryable, organizationIds: readonly string[]): Promise<Map<string, Buffer>> {
  const { rows } = await tx.query<{ organization_id: string; hash: Buffer }>(sql`
    select o.id as organization_id, coalesce(
      (select c.hash from audit_chain c where c.organization_id = o.id order by c.position desc limit 1),
      (select s.hash from audit_chain_starts s where s.organization_id = o.id)) as hash
    from unnest(${organizationIds}::uuid[]) as o (id)`)
  return new Map(rows.flatMap(({ organization_id, hash }) => (hash ? [[organization_id, hash] as const] : [])))
}
