/**
 * Those who wait for the end of a run, or for what it answers, and how they hear of it: whoever ends a run that is awaited says so to every
 * process once that is durable. Saying it is a hint that dies with its process, so those who wait also look by themselves from time to time.
 */
import { type Database, rawStatement } from '../../db/index.ts'
import type { Slots } from '../../http/index.ts'
import { AppError } from '../../lib/app-error.ts'

const channel = 'patchbay_run_ends'
// Nobody waits for a hint to reach the disk.
const text = "select set_config('synchronous_commit', 'off', true), pg_notify($1, id) from unnest($2::text[]) as id"

/** A look for what was said while nobody listened. */
const lookMs = 5000

/** Everybody who waits has a slot, in the ledger of all that lasts. */
export type WaitSlots = Pick<Slots, 'forAccount'>

/** One who waits. */
export class AwaitedRun implements Disposable {
  #news = Promise.withResolvers<void>()
  #isOpen = true
  readonly #leave: () => void

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** False once nobody is there to be answered, or the process stops. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when there may be news of the run, or the time is over. */
  async next(ms: number): Promise<void> {
    await withinMs(this.#news.promise, Math.min(ms, lookMs))
    this.#news = Promise.withResolvers<void>()
  }

  wake(): void {
    this.#news.resolve()
  }

  close(): void {
    this.#isOpen = false
    this.wake()
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}

export class EndWatch implements AsyncDisposable {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #waiting = new Map<string, AwaitedRun>()
  readonly #slots: WaitSlots
  #listening: Promise<{ close(): Promise<void> }> | undefined
  #isStopping = false

  constructor(database: Database, slots: WaitSlots, onFault: (error: unknown) => void) {
    this.#database = database
    this.#slots = slots
    this.#onFault = onFault
  }

  /** Before the run starts, so that nothing is missed. Throws when too many wait already. */
  async expect(runId: string, scope: { accountId: string; organizationId: string }): Promise<AwaitedRun> {
    if (this.#isStopping) throw new AppError('not_ready', 'The service is shutting down.')
    const slot = this.#slots.forAccount('wait', scope)
    const waiting = new AwaitedRun(() => {
      this.#waiting.delete(runId)
      slot.release()
    })
    this.#waiting.set(runId, waiting)
    try {
      await this.#listen()
    } catch (error) {
      // Looking from time to time finds the end as well.
      this.#onFault(error)
    }
    return waiting
  }

  /** Once it is durable. Those who wait in this process hear of it at once. */
  tell(runIds: readonly string[]): void {
    if (runIds.length === 0) return
    for (const id of runIds) this.#waiting.get(id)?.wake()
    this.#database.system.query(rawStatement(text, [channel, runIds])).catch(this.#onFault)
  }

  /** Everybody who waits looks a last time and answers: a stop of the process would wait for them. */
  endAll(): void {
    this.#isStopping = true
    for (const waiting of this.#waiting.values()) waiting.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endAll()
    await (await this.#listening?.catch(() => undefined))?.close()
  }

  #wakeAll(): void {
    for (const waiting of this.#waiting.values()) waiting.wake()
  }

  /** The first who waits opens the connection that listens. */
  async #listen(): Promise<void> {
    this.#listening ??= this.#database.listen(
      channel,
      (runId) => this.#waiting.get(runId)?.wake(),
      () => this.#wakeAll(),
    )
    try {
      await this.#listening
    } catch (error) {
      this.#listening = undefined
      throw error
    }
  }
}

async function withinMs(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.max(0, ms))
  await Promise.race([promise, over])
  clearTimeout(timer)
}
