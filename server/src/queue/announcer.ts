/**
 * Tells the workers of all processes that jobs wait. A notice within a transaction makes PostgreSQL commit such transactions one after the
 * other, so it is given afterwards: at once if there was none for a while, otherwise together with all that follow within the gap. It is only a
 * hint, and lost when the process dies: workers also look by themselves.
 */
import { type Database, rawStatement } from '../db/index.ts'

const gapMs = 25

export const channel = 'patchbay_jobs'
/** Said in place of a queue's name: a job was filed that is due later. */
export const dueNotice = 'due later'
// Nobody waits for a hint to reach the disk.
const text =
  "select set_config('synchronous_commit', 'off', true), pg_notify($1, queue) from unnest($2::text[]) as queue"

export class Announcer implements AsyncDisposable {
  readonly #database: Database
  readonly #onFault: (error: Error) => void
  readonly #queues = new Set<string>()
  #announcing: Promise<void> | undefined
  #isStopping = false

  constructor(database: Database, onFault: (error: Error) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  announce(queue: string): void {
    if (this.#isStopping) return
    this.#queues.add(queue)
    this.#announcing ??= this.#announceAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#announcing
  }

  async #announceAll(): Promise<void> {
    while (this.#queues.size > 0) {
      const queues = [...this.#queues]
      this.#queues.clear()
      await this.#database.system.query(rawStatement(text, [channel, queues])).catch(this.#onFault)
      if (!this.#isStopping) await new Promise((done) => setTimeout(done, gapMs))
    }
    this.#announcing = undefined
  }
}
