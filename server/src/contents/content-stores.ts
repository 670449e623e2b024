import type { Database } from '../db/index.ts'
import type { ObjectStore } from '../files/index.ts'
import { ContentAwayError } from './content-error.ts'
import { openDatabaseObjects } from './database-objects.ts'
import { type ContentsSettings, openEarlier, openPrimary } from './open-stores.ts'

type Deps = {
  database: Pick<Database, 'system'>
  settings: ContentsSettings
  onFault(error: unknown): void
}

/** All places where an object may lie. References do not say which: objects may be moved from one to another with any tool. */
export class ContentStores {
  /** Where new contents go; undefined while they stay in their rows. */
  readonly primary: ObjectStore | undefined
  readonly #deps: Deps
  readonly #inDatabase: Pick<ObjectStore, 'get' | 'url'>

  private constructor(deps: Deps, primary: ObjectStore | undefined) {
    this.#deps = deps
    this.primary = primary
    this.#inDatabase = openDatabaseObjects(deps.database.system)
  }

  static async open(deps: Deps): Promise<ContentStores> {
    return new ContentStores(deps, await openPrimary(deps.database, deps.settings, deps.onFault))
  }

  /** Undefined when it is in none of them. Throws when one that may have it gives no answer. */
  async find(key: string): Promise<Buffer | undefined> {
    let away: ContentAwayError | undefined
    for await (const store of this.#all()) {
      try {
        const found = await store.get(key)
        if (found) return found
      } catch (error) {
        away ??= new ContentAwayError(store.url, error)
      }
    }
    if (away) throw away
    return undefined
  }

  /** Earlier ones are asked only for what the others do not have. */
  async *#all(): AsyncGenerator<Pick<ObjectStore, 'get' | 'url'>> {
    const { database, settings } = this.#deps
    if (this.primary) yield this.primary
    yield this.#inDatabase
    yield* await openEarlier(database, settings, this.primary)
  }
}
