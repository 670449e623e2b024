// Removes what is older than it has to be kept for, and makes the tables of the months to come. The chain goes on: see migration 0140.
import { type Database, sql, unlessBackup } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'

const sweepMs = 60 * 60_000
const rowsAtOnce = 2_000
const monthsAhead = 2

export class AuditRetention implements AsyncDisposable {
  readonly #database: Database
  readonly #yearsKept: number
  readonly #sweeping: Recurring

  constructor(database: Database, yearsKept: number, onFault: (error: unknown) => void) {
    this.#database = database
    this.#yearsKept = yearsKept
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  start(): void {
    this.#sweeping.startNow()
  }

  async sweep(): Promise<void> {
    const { rows } = await this.#database.system.query<{ id: string }>(sql`select id from organizations`)
    for (const { id } of rows) while (!this.#sweeping.isStopping && (await this.#forgetSome(id)) === rowsAtOnce);
    await unlessBackup(this.#database.system, async (tx) => {
      await tx.query(sql`select ensure_audit_months(${monthsAhead})`)
      await tx.query(sql`select drop_audit_months()`)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #forgetSome(organizationId: string): Promise<number> {
    const { rows } = await this.#database.system.query<{ n: number }>(
      sql`select forget_audit(${organizationId}, now() - ${this.#yearsKept}::integer * interval '1 year', ${rowsAtOnce}) as n`,
    )
    return rows[0]?.n ?? 0
  }
}
