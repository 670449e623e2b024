import type { Database } from '../db/index.ts'
import { listPlaces } from './store.ts'
import type { AccountPlace } from './stream-event.ts'

const rememberedMax = 50_000

/** Where accounts belong, remembered: it never changes. */
export class AccountPlaces {
  readonly #database: Database
  readonly #known = new Map<string, AccountPlace>()

  constructor(database: Database) {
    this.#database = database
  }

  async learn(accountIds: Iterable<string>): Promise<void> {
    const unknown = [...new Set(accountIds)].filter((id) => !this.#known.has(id))
    if (unknown.length === 0) return
    if (this.#known.size + unknown.length > rememberedMax) this.#known.clear()
    for (const [id, place] of await listPlaces(this.#database.system, unknown)) this.#known.set(id, place)
  }

  /** Of an account that was learned; undefined when it is gone. */
  find(accountId: string): AccountPlace | undefined {
    return this.#known.get(accountId)
  }
}
