// Notes of moves that are over because the organization stays or has come back. For a minute they still say to try again, to whoever is refused by
// what a process remembers of the move; then they go, and the addresses with them.
import { type Database, sql } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'

export const settledKept = sql`interval '1 minute'`

const sweepMs = 60_000

export class SettledMoves implements AsyncDisposable {
  readonly #database: Database
  readonly #sweeping: Recurring

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  start(): void {
    this.#sweeping.start()
  }

  async sweep(): Promise<void> {
    await this.#database.system.query(sql`delete from organization_moves where settled_at <= now() - ${settledKept}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }
}
