/**
 * The worker's side of the queue of runs.
 *
 *   idle ─(woken, a slot became free, or a second passed)─► take as many jobs as there are free slots ─► each runs by itself ─► ended
 *
 * Every job in hand is kept alive by a heartbeat; what the heartbeat does not find any more belongs to another worker and is dropped.
 * Stopping: no new jobs; blocks that sleep or wait for their turn are handed back at once, those under way get their time; what is then not over is
 * handed back for others to take at once.
 */
import type { StorageLedger } from '../../storage/index.ts'
import { type ClaimedRun, listFirstClaims } from '../execute/claim-store.ts'
import { type Run, type RunNews, runQueue } from '../run.ts'
import { FetchPace } from './fetch-pace.ts'
import { Hand, type RunInHand } from './hand.ts'
import { markProcessing } from './mark-store.ts'
import { RunTaker, type TakenRuns } from './run-taker.ts'
import { StopWatch } from './stop-watch.ts'
import { UnderWay } from './under-way.ts'
import { type WorkDeps, type Workplace, workOnRun } from './work-on-run.ts'

export type DispatcherDeps = WorkDeps & {
  /** Below the floor of free disk no run begins; those under way end. */
  ledger: Pick<StorageLedger, 'hasDisk'>
  news: Pick<RunNews, 'onTaken'>
}

export type DispatcherOptions = {
  /** Runs in hand at once. */
  slots?: number
  /** How long blocks under way may take once the worker is to stop. */
  graceMs?: number
}

const pollMs = 1000
const heartbeatMs = 3000
/** A run that takes longer than this is shown as Processing. */
const markAfterMs = 300
const sleepMsMin = 1000
const manyInHand = 16
/** With a backlog, jobs are fetched when this part of the slots is left in use, or after this time: many at once cost hardly more than one. */
const refillBelow = 1 / 4
const refillMs = 100

export class Dispatcher implements AsyncDisposable {
  readonly #deps: DispatcherDeps
  readonly #slots: number
  readonly #graceMs: number
  readonly #hand = new Hand()
  readonly #place: Workplace
  readonly #taker: RunTaker
  readonly #pace = new FetchPace()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #stopWatch: StopWatch
  #listening: Disposable | undefined
  #isFetching = false
  #isWanted = false
  readonly #leaving = new AbortController()
  #isStopping = false
  #impatience: NodeJS.Timeout | undefined
  #fetching: Promise<void> = Promise.resolve()

  constructor(deps: DispatcherDeps, options: DispatcherOptions = {}) {
    this.#deps = deps
    this.#slots = options.slots ?? 256
    this.#taker = new RunTaker(deps.database.system, this.#slots)
    this.#graceMs = options.graceMs ?? 25_000
    this.#place = {
      underWay: new UnderWay(deps.database.system),
      isStopping: () => this.#isStopping,
      leaveSignal: this.#leaving.signal,
      untilAlone: (run) => this.#hand.untilAlone(run),
      onSleep: (run, ms) => this.#sleep(run, ms),
    }
    this.#stopWatch = new StopWatch({
      database: deps.database,
      onStop: (runId) => this.#hand.find(runId)?.stop.abort(),
      onAbort: (runId) => {
        this.#hand.find(runId)?.stop.abort()
        this.#hand.find(runId)?.abort.abort()
      },
      listAsleep: () => this.#hand.listAsleep(),
      onFault: deps.onFault,
    })
  }

  start(): void {
    const { jobs, recorder, onFault } = this.#deps
    const guarded = (work: () => Promise<void>) => () => void work().catch(onFault)
    recorder.gatherWhile(() => this.#hand.size >= manyInHand)
    this.#listening = jobs.listen(runQueue, () => this.#hint())
    this.#stopWatch.start()
    this.#timers.push(
      setInterval(() => this.#wake(), pollMs),
      setInterval(
        guarded(() => this.#beat()),
        heartbeatMs,
      ),
      setInterval(
        guarded(() => this.#mark()),
        markAfterMs,
      ),
    )
    this.#wake()
  }

  /** Runs in hand, those asleep included. */
  get load(): number {
    return this.#hand.size
  }

  /** Takes no more runs. Those in hand leave after the block they are at; when the grace is over, at once. */
  leave(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#leaving.abort()
    this.#listening?.[Symbol.dispose]()
    this.#impatience = setTimeout(() => this.#hand.abortAll(), this.#graceMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave()
    await this.#fetching
    await this.#hand.untilEmpty()
    clearTimeout(this.#impatience)
    for (const timer of this.#timers) clearInterval(timer)
    await this.#stopWatch[Symbol.asyncDispose]()
    await this.#deps.recorder.drain()
  }

  #wake(): void {
    this.#isWanted = true
    if (this.#isFetching || this.#isStopping) return
    this.#isFetching = true
    this.#fetching = this.#fetchAll()
      .catch((error) => this.#deps.onFault(error))
      .finally(() => {
        this.#isFetching = false
      })
  }

  /** There may be jobs. While there is a backlog that is no news. */
  #hint(): void {
    if (!this.#taker.isHungry || this.#hand.size <= this.#slots * refillBelow) this.#wake()
    else this.#pace.later(refillMs, () => this.#wake())
  }

  async #fetchAll(): Promise<void> {
    while (this.#isWanted && !this.#isStopping) {
      if (!this.#deps.ledger.hasDisk || this.#place.underWay.isReserved) return
      const waitMs = this.#pace.waitMs()
      if (waitMs > 0) {
        this.#pace.later(waitMs, () => this.#wake())
        return
      }
      this.#isWanted = false
      const startedAt = performance.now()
      const taken = await this.#taker.take(this.#hand.countAwake())
      if (!taken) return
      this.#pace.note(performance.now() - startedAt, taken.jobs.length)
      if (taken.jobs.length > 0) await this.#open(taken)
      if (this.#taker.isHungry) this.#hint()
    }
  }

  async #open({ jobs: taken, first: goingFirst }: TakenRuns): Promise<void> {
    const { database, jobs, dayTables } = this.#deps
    const firstIds = taken.filter(({ attempt }) => attempt === 0).map(({ id }) => id)
    const found = firstIds.length === 0 ? [] : await listFirstClaims(database.system, dayTables, firstIds)
    const byId = new Map(found.map((run) => [run.id, run]))
    // A job without a run under way is left over from one that was deleted or stopped.
    const leftOver = firstIds.filter((id) => !byId.has(id))
    await jobs.finish(
      database.system,
      runQueue,
      leftOver.map((id) => ({ id, attempt: 0 })),
    )
    for (const { id, attempt, group_id } of taken) {
      const run = byId.get(id)
      const accountId = group_id ?? ''
      const of = { accountId, goesFirst: goingFirst.has(accountId) }
      if (run || attempt > 0) this.#begin({ runId: id, attempt }, of, run)
    }
  }

  #begin(
    claim: RunInHand['claim'],
    of: Pick<RunInHand, 'accountId' | 'goesFirst'>,
    found: ClaimedRun | undefined,
  ): void {
    const run: RunInHand = {
      claim,
      ...of,
      abort: new AbortController(),
      stop: new AbortController(),
      // A run that is taken over shows as Processing from then on.
      isMarked: claim.attempt > 0,
      sinceMs: performance.now(),
      isAsleep: false,
      work: undefined,
    }
    this.#deps.news.onTaken(claim)
    const about = { accountId: of.accountId, runId: claim.runId, ...(found ? placeOf(found) : {}) }
    this.#hand.hold(
      run,
      () => workOnRun(this.#deps, this.#place, run, found).catch((error) => this.#deps.onFault(error, about)),
      () => {
        if (this.#taker.isHungry) this.#hint()
      },
    )
  }

  #sleep(run: RunInHand, ms: number): void {
    if (ms < sleepMsMin || run.isAsleep) return
    run.isAsleep = true
    setTimeout(() => {
      run.isAsleep = false
    }, ms).unref()
    this.#wake()
  }

  async #beat(): Promise<void> {
    const all = this.#hand.list()
    if (all.length === 0) return
    const { jobs, database } = this.#deps
    const claims = all.map(({ claim }) => ({ id: claim.runId, attempt: claim.attempt }))
    const mine = await jobs.touch(database.system, runQueue, claims)
    // One that ended while we asked is not lost.
    for (const run of all) if (this.#hand.holds(run) && !mine.has(run.claim.runId)) run.abort.abort()
    await this.#stopWatch.lookAgain()
  }

  async #mark(): Promise<void> {
    await this.#place.underWay.noteSlow()
    const oldest = performance.now() - markAfterMs
    const slow = this.#hand.list().filter(({ isMarked, sinceMs }) => !isMarked && sinceMs < oldest)
    if (slow.length === 0) return
    for (const run of slow) run.isMarked = true
    await markProcessing(
      this.#deps.database.system,
      slow.map(({ claim }) => claim),
    )
  }
}

function placeOf({ workflowId, runNumber }: Run): { workflowId: string; runNumber: number } {
  return { workflowId, runNumber }
}
