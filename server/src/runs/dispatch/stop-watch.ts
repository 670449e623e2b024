// Tells a worker at once that runs in its hands are to stop: one that sleeps would find out only when it wakes.
import { type Database, type Queryable, sql } from '../../db/index.ts'

const channel = 'patchbay_run_stops'

/** Within the transaction that marks the run; heard once that is through. */
export async function announceStop(tx: Queryable, runId: string): Promise<void> {
  await tx.query(sql`select pg_notify(${channel}, ${runId})`)
}

/** For one that must end although its block has not: the script is ended, too. */
export async function announceAbort(tx: Queryable, runId: string): Promise<void> {
  await tx.query(sql`select pg_notify(${channel}, ${abortMark + runId})`)
}

const abortMark = '!'

export type StopWatchDeps = {
  database: Database
  onStop(runId: string): void
  onAbort(runId: string): void
  /** Runs whose stop may have been said while nobody listened. */
  listAsleep(): string[]
  onFault(error: unknown): void
}

export class StopWatch implements AsyncDisposable {
  readonly #deps: StopWatchDeps
  #listening: Promise<{ close(): Promise<void> } | undefined> = Promise.resolve(undefined)

  constructor(deps: StopWatchDeps) {
    this.#deps = deps
  }

  start(): void {
    const { database, onStop, onAbort, onFault } = this.#deps
    const hear = (said: string) => (said.startsWith(abortMark) ? onAbort(said.slice(abortMark.length)) : onStop(said))
    const listening = database.listen(channel, hear, () => void this.lookAgain().catch(onFault))
    this.#listening = listening.catch((error) => {
      onFault(error)
      return undefined
    })
  }

  /** For what was not heard. */
  async lookAgain(): Promise<void> {
    const ids = this.#deps.listAsleep()
    if (ids.length === 0) return
    const { rows } = await this.#deps.database.system.query<{ id: string }>(
      sql`select id from runs where id = any(${ids}::uuid[]) and status = 'Stopping'`,
    )
    for (const { id } of rows) this.#deps.onStop(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#listening)?.close()
  }
}
