// Accounts of organizations that are about to leave this cell: whoever works for them comes to an end and begins nothing new. Asked for twice a second;
// what is begun in between is refused by the database where it would write.
import { type Database, sql } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'

const lookMs = 500

export class HeldAccounts implements AsyncDisposable {
  readonly #database: Database
  readonly #looking: Recurring
  #ids: ReadonlySet<string> = new Set()

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault })
  }

  async start(): Promise<void> {
    await this.#look()
    this.#looking.start()
  }

  /** Of organizations that are held at this moment. */
  get ids(): ReadonlySet<string> {
    return this.#ids
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const { rows } = await this.#database.lookups.query<{ id: string }>(sql`
      select a.id from organization_moves m join accounts a on a.organization_id = m.organization_id where m.erased_at is null`)
    this.#ids = new Set(rows.map(({ id }) => id))
  }
}
