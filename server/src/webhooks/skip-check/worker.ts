/**
 * The worker's side of the queue of checks: fetches as many as it has hands, keeps them alive, and gives back what it cannot finish.
 * A worker that dies leaves its jobs without a heartbeat, and another takes them.
 */
import { FetchLoop, type Job } from '../../queue/index.ts'
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
  readonly #loop: FetchLoop
  #listening: Disposable | undefined

  constructor(deps: CheckDeps & { onFault(error: unknown): void }) {
    this.#deps = deps
    this.#loop = new FetchLoop({
      hasRoom: () => this.#inHand.size < handsMax,
      fetch: () => this.#fetch(),
      onFault: deps.onFault,
    })
  }

  start(): void {
    this.#listening = this.#deps.jobs.listen(webhookCheckQueue, () => this.#loop.wake())
    this.#timers.push(
      setInterval(() => this.#loop.wake(), pollMs),
      setInterval(() => void this.#beat().catch(this.#deps.onFault), heartbeatMs),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening?.[Symbol.dispose]()
    this.#stop.abort()
    await this.#loop.stop()
    await Promise.all(this.#underWay)
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #fetch(): Promise<void> {
    const { jobs, database } = this.#deps
    const count = handsMax - this.#inHand.size
    const turns = { count, perAccount, inHand: this.#inHand.values() }
    const fetched = await jobs.fetchInTurns<CheckJob>(database.system, webhookCheckQueue, turns)
    for (const job of fetched) this.#take(job)
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
        this.#loop.wake()
      })
    this.#underWay.add(working)
  }

  async #beat(): Promise<void> {
    const { jobs, database } = this.#deps
    await jobs.touch(database.system, webhookCheckQueue, [...this.#inHand.values()])
  }
}
