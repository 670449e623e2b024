/**
 * The worker's side of the queue of checks: fetches as many as it has hands, keeps them alive, and gives back what it cannot finish.
 * A worker that dies leaves its jobs without a heartbeat, and another takes them.
 */
import type { Job } from '../../queue/index.ts'
import { type CheckJob, webhookCheckQueue } from '../queue/feed.ts'
import { type CheckDeps, check } from './check.ts'

const handsMax = 16
/** Scripts of one account that take long leave hands to the others. */
const perAccount = 8
const pollMs = 1000
const heartbeatMs = 3000

export class CheckWorker implements AsyncDisposable {
  readonly #deps: CheckDeps & { onFault(error: unknown): void }
  readonly #inHand = new Map<string, Job<CheckJob>>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #listening: Disposable | undefined
  #fetching: Promise<void> | undefined
  #isWanted = false

  constructor(deps: CheckDeps & { onFault(error: unknown): void }) {
    this.#deps = deps
  }

  start(): void {
    this.#listening = this.#deps.jobs.listen(webhookCheckQueue, () => this.#wake())
    this.#timers.push(
      setInterval(() => this.#wake(), pollMs),
      setInterval(() => void this.#beat().catch(this.#deps.onFault), heartbeatMs),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening?.[Symbol.dispose]()
    this.#stop.abort()
    await this.#fetching
    await Promise.all(this.#underWay)
    for (const timer of this.#timers) clearInterval(timer)
  }

  #wake(): void {
    this.#isWanted = true
    this.#fetching ??= this.#fetchAll()
      .catch(this.#deps.onFault)
      .finally(() => {
        this.#fetching = undefined
      })
  }

  async #fetchAll(): Promise<void> {
    const { jobs, database } = this.#deps
    while (this.#isWanted && !this.#stop.signal.aborted && this.#inHand.size < handsMax) {
      this.#isWanted = false
      const count = handsMax - this.#inHand.size
      const turns = { count, perAccount, inHand: this.#inHand.values() }
      const fetched = await jobs.fetchInTurns<CheckJob>(database.system, webhookCheckQueue, turns)
      for (const job of fetched) this.#take(job)
      if (fetched.length === count) this.#isWanted = true
    }
  }

  #take(job: Job<CheckJob>): void {
    this.#inHand.set(job.id, job)
    const working = check(this.#deps, job, this.#stop.signal)
      .catch(async (error) => {
        if (!this.#stop.signal.aborted) this.#deps.onFault(error)
        await this.#deps.jobs.handBack(this.#deps.database.system, webhookCheckQueue, [job])
      })
      .catch(this.#deps.onFault)
      .finally(() => {
        this.#inHand.delete(job.id)
        this.#underWay.delete(working)
        this.#wake()
      })
    this.#underWay.add(working)
  }

  async #beat(): Promise<void> {
    const { jobs, database } = this.#deps
    await jobs.touch(database.system, webhookCheckQueue, [...this.#inHand.values()])
  }
}
