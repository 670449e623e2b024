// Removes objects that nothing refers to: of runs and requests that retention removed, of deleted workflows, and those whose transaction never came
// about. It walks through all keys in their order, some at a time; one process of all does it.
import { type Database, Lease, unlessBackup } from '../db/index.ts'
import type { ObjectStore } from '../files/index.ts'
import { Recurring } from '../lib/recurring.ts'
import type { Contents } from './contents.ts'
import { openDatabaseObjects } from './database-objects.ts'
import { listForgotten } from './judge-objects.ts'

const sweepMs = 3_600_000
const leaseSeconds = 120
const keysAtOnce = 1000

type Deps = { database: Database; contents: Pick<Contents, 'primary'>; onFault(error: unknown): void }

export class ContentSweep implements AsyncDisposable {
  readonly #deps: Deps
  readonly #lease: Lease
  readonly #sweeping: Recurring

  constructor(deps: Deps) {
    this.#deps = deps
    this.#lease = new Lease(deps.database.system, 'sweep contents', leaseSeconds)
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault: deps.onFault })
  }

  start(): void {
    this.#sweeping.startNow()
  }

  /**
   * Of storages only the one that the setting names: a copy of the database that somebody starts for a trial, without it, must not take away
   * what the original refers to. False when another process is at it.
   */
  async sweep(now = Date.now()): Promise<boolean> {
    if (!(await this.#lease.hold())) return false
    try {
      const { database, contents } = this.#deps
      await this.#sweepStore(openDatabaseObjects(database.system), now)
      if (contents.primary) await this.#sweepStore(contents.primary, now)
      return true
    } finally {
      await this.#lease.release()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #sweepStore(store: Pick<ObjectStore, 'list' | 'remove'>, now: number): Promise<void> {
    for (let after = ''; !this.#sweeping.isStopping && (await this.#lease.hold()); ) {
      const keys = await store.list(after, keysAtOnce)
      const forgotten = await this.#judge(keys, now)
      if (forgotten.length > 0) await store.remove(forgotten)
      const last = keys.at(-1)
      if (last === undefined || keys.length < keysAtOnce) return
      after = last
    }
  }

  /** None while a backup is made, which may refer to what has gone since it began. */
  async #judge(keys: readonly string[], now: number): Promise<string[]> {
    let forgotten: string[] = []
    if (keys.length === 0) return forgotten
    await unlessBackup(this.#deps.database.system, async (tx) => {
      forgotten = await listForgotten(tx, keys, now)
    })
    return forgotten
  }
}
