/**
 * The worker's side of the queue of runs.
 *
 *   idle ─(woken, a slot became free, or a second passed)─► fetch as many jobs as there are free slots ─► each runs by itself ─► ended
 *
 * Every job in hand is kept alive by a heartbeat; what the heartbeat does not find any more belongs to another worker and is dropped.
 * Stopping: no new jobs; blocks under way get their time; what is then not over is handed back for others to take at once.
 */

import type { Database } from '../../db/index.ts'
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { Job, JobQueue } from '../../queue/index.ts'
import type { StorageLedger } from '../../storage/index.ts'
import { type FoundRun, listFirstClaims } from '../execute/claim-store.ts'
import { type ExecutionDeps, type ExecutionResult, executeRun, type Hold } from '../execute/execution.ts'
import { type OpenedRun, type OpenRunDeps, openFirst, openTakenOver } from '../execute/open-run.ts'
import type { RunState } from '../execute/run-state.ts'
import type { RunRecorder } from '../record/recorder.ts'
import { RunTape, type TapeRoom } from '../recording/run-tape.ts'
import { type Run, type RunClaim, type RunNews, runQueue } from '../run.ts'
import { endFatally } from './end-fatally.ts'
import { type FetchPlan, planFetch } from './fair-share.ts'
import { FetchPace } from './fetch-pace.ts'
import { markHandedBack, markProcessing } from './mark-store.ts'
import { StopWatch } from './stop-watch.ts'
import { UnderWay } from './under-way.ts'

export type DispatcherDeps = OpenRunDeps &
  ExecutionDeps & {
    database: Database
    jobs: JobQueue
    /** Below the floor of free disk no run begins; those under way end. */
    ledger: Pick<StorageLedger, 'hasDisk'>
    recorder: RunRecorder
    news: Pick<RunNews, 'onTaken'>
    tapeRoom: TapeRoom
    /** What a script sees as `webhook`. */
    loadWebhook(run: Run): Promise<Json | JsonText | undefined>
  }

export type DispatcherOptions = {
  /** Runs in hand at once. */
  slots?: number
  /** How long blocks under way may take once the worker is to stop. */
  graceMs?: number
}

type InHand = {
  claim: Omit<RunClaim, 'partition'>
  accountId: string
  abort: AbortController
  /** Aborted when somebody stops the run. */
  stop: AbortController
  isMarked: boolean
  sinceMs: number
  /** A run that sleeps leaves its slot to others. */
  isAsleep: boolean
  work: Promise<void> | undefined
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
  readonly #inHand = new Map<string, InHand>()
  readonly #works = new Set<Promise<void>>()
  readonly #underWay: UnderWay
  readonly #pace = new FetchPace()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #stopWatch: StopWatch
  #listening: Disposable | undefined
  #isFetching = false
  #isWanted = false
  /** The last answer was cut off by what was asked for, or somebody was passed over: there may be more. */
  #isHungry = false
  #isStopping = false
  #fetching: Promise<void> = Promise.resolve()

  constructor(deps: DispatcherDeps, options: DispatcherOptions = {}) {
    this.#deps = deps
    this.#slots = options.slots ?? 256
    this.#underWay = new UnderWay(deps.database.system)
    this.#graceMs = options.graceMs ?? 25_000
    this.#stopWatch = new StopWatch({
      database: deps.database,
      onStop: (runId) => this.#inHand.get(runId)?.stop.abort(),
      listAsleep: () => [...this.#inHand].flatMap(([runId, { isAsleep }]) => (isAsleep ? [runId] : [])),
      onFault: deps.onFault,
    })
  }

  start(): void {
    const { jobs, recorder, onFault } = this.#deps
    const guarded = (work: () => Promise<void>) => () => void work().catch(onFault)
    recorder.gatherWhile(() => this.#inHand.size >= manyInHand)
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
    return this.#inHand.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    this.#listening?.[Symbol.dispose]()
    await this.#fetching
    const impatience = setTimeout(() => {
      for (const { abort } of this.#inHand.values()) abort.abort()
    }, this.#graceMs)
    while (this.#works.size > 0) await Promise.all(this.#works)
    clearTimeout(impatience)
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
    if (!this.#isHungry || this.#inHand.size <= this.#slots * refillBelow) this.#wake()
    else this.#pace.later(refillMs, () => this.#wake())
  }

  async #fetchAll(): Promise<void> {
    while (this.#isWanted && !this.#isStopping) {
      const plan = this.#nextFetch()
      if (!plan) return
      const waitMs = this.#pace.waitMs(plan.passedOver.length > 0)
      if (waitMs > 0) {
        this.#pace.later(waitMs, () => this.#wake())
        return
      }
      this.#isWanted = false
      const startedAt = performance.now()
      const { jobs, database } = this.#deps
      const fetched = await jobs.fetch<unknown>(database.system, runQueue, plan.count, plan.passedOver)
      this.#pace.note(performance.now() - startedAt, fetched.length, plan.passedOver.length > 0)
      this.#isHungry = fetched.length === plan.count || plan.passedOver.length > 0
      if (fetched.length > 0) await this.#open(fetched)
      if (this.#isHungry) this.#hint()
    }
  }

  #nextFetch(): FetchPlan | undefined {
    if (!this.#deps.ledger.hasDisk || this.#underWay.isReserved) return undefined
    const counts = new Map<string, number>()
    for (const { accountId, isAsleep } of this.#inHand.values())
      if (!isAsleep) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
    return planFetch(this.#slots, counts)
  }

  async #open(fetched: Job<unknown>[]): Promise<void> {
    const { database, jobs } = this.#deps
    const first = fetched.filter(({ attempt }) => attempt === 0)
    const found =
      first.length === 0
        ? []
        : await listFirstClaims(
            database.system,
            first.map(({ id }) => id),
          )
    const byId = new Map(found.map((run) => [run.id, run]))
    // A job without a run under way is left over from one that was deleted or stopped.
    await jobs.finish(
      database.system,
      runQueue,
      first.filter(({ id }) => !byId.has(id)),
    )
    for (const { id, attempt, groupId } of fetched) {
      const run = byId.get(id)
      if (run || attempt > 0) this.#begin({ runId: id, attempt }, groupId ?? '', run)
    }
  }

  #begin(claim: InHand['claim'], accountId: string, run: FoundRun | undefined): void {
    const inHand: InHand = {
      claim,
      accountId,
      abort: new AbortController(),
      stop: new AbortController(),
      // A run that is taken over shows as Processing from then on.
      isMarked: claim.attempt > 0,
      sinceMs: performance.now(),
      isAsleep: false,
      work: undefined,
    }
    // Lost without noticing, and taken again: what was begun then goes on in vain.
    this.#inHand.get(claim.runId)?.abort.abort()
    this.#inHand.set(claim.runId, inHand)
    this.#deps.news.onTaken(claim)
    const work = this.#work(inHand, run).catch((error) =>
      this.#deps.onFault(error, { accountId, runId: claim.runId, ...(run ? placeOf(run) : {}) }),
    )
    inHand.work = work
    this.#works.add(work)
    void work.finally(() => {
      this.#works.delete(work)
      if (this.#inHand.get(claim.runId) === inHand) this.#inHand.delete(claim.runId)
      if (this.#isHungry) this.#hint()
    })
  }

  async #work(inHand: InHand, run: FoundRun | undefined): Promise<void> {
    let result: ExecutionResult = 'open'
    try {
      const opened = run ? await openFirst(this.#deps, run) : await openTakenOver(this.#deps, inHand.claim)
      result = opened ? await this.#execute(inHand, opened) : 'lost'
    } finally {
      const claims = [{ id: inHand.claim.runId, attempt: inHand.claim.attempt }]
      const { database, jobs } = this.#deps
      if (result === 'lost') await jobs.finish(database.system, runQueue, claims)
      if (result === 'open') {
        await database.system.transaction(async (tx) => {
          await Promise.all([
            this.#isStopping ? markHandedBack(tx, [inHand.claim]) : undefined,
            jobs.handBack(tx, runQueue, claims),
          ])
        })
      }
    }
  }

  async #execute(inHand: InHand, { claim, state, fatalBlockId, startsAs }: OpenedRun): Promise<ExecutionResult> {
    if (fatalBlockId !== undefined) {
      const { no, blockName } = state.workflow.blocks.get(fatalBlockId)!
      const message = `Block ${no} "${blockName}" was given up: the process that ran it ended three times.`
      return this.#end(claim, state, { lastBlockId: fatalBlockId, lastBlockTitle: blockName, message })
    }
    const webhook = state.run.webhookIds === null ? null : await this.#deps.loadWebhook(state.run)
    if (webhook === undefined) {
      const message = 'The webhook request of this run is no longer stored, so the run cannot do its work.'
      return this.#end(claim, state, { lastBlockId: null, lastBlockTitle: null, message })
    }
    const { signal } = inHand.abort
    using _reserved =
      startsAs === 'alone' ? await this.#underWay.reserve(claim, this.#onlyInHand(inHand), signal) : null
    const hold: Hold = {
      claim,
      signal,
      stopSignal: inHand.stop.signal,
      isStopping: () => this.#isStopping,
      onSleep: (ms) => this.#sleep(inHand, ms),
      blocks: {
        mayBegin: async (blockId) => {
          if (startsAs !== 'usual') await this.#underWay.beginCarefully(claim, blockId, signal)
        },
        begin: (blockId) => this.#underWay.begin(claim, blockId),
        end: (blockId) => this.#underWay.end(claim, blockId),
      },
    }
    const tape = this.#newTape(claim, state)
    tape?.takeWebhook(webhook)
    try {
      return await executeRun(this.#deps, { ...hold, tape }, state, webhook)
    } finally {
      tape?.release()
    }
  }

  async #end(claim: RunClaim, state: RunState, why: Parameters<typeof endFatally>[3]): Promise<ExecutionResult> {
    return (await endFatally(this.#deps.recorder, claim, state, why)) ? 'ended' : 'lost'
  }

  /** Resolves when nothing else is in hand. */
  async #onlyInHand(inHand: InHand): Promise<void> {
    while (this.#inHand.size > 1 && this.#inHand.get(inHand.claim.runId) === inHand)
      await Promise.race([...this.#works].filter((work) => work !== inHand.work))
  }

  #newTape({ attempt }: RunClaim, { run, workflow }: RunState): RunTape | undefined {
    if (run.isPartial || workflow.replayRuns === 0) return undefined
    const problem = attempt === 0 ? null : 'A worker ended during this run and took with it what the run had received.'
    return new RunTape(this.#deps.tapeRoom, workflow.replayRuns, problem)
  }

  #sleep(inHand: InHand, ms: number): void {
    if (ms < sleepMsMin || inHand.isAsleep) return
    inHand.isAsleep = true
    setTimeout(() => {
      inHand.isAsleep = false
    }, ms).unref()
    this.#wake()
  }

  async #beat(): Promise<void> {
    const all = [...this.#inHand.values()]
    if (all.length === 0) return
    const { jobs, database } = this.#deps
    const claims = all.map(({ claim }) => ({ id: claim.runId, attempt: claim.attempt }))
    const mine = await jobs.touch(database.system, runQueue, claims)
    for (const inHand of all) {
      // One that ended while we asked is not lost.
      const isStillHere = this.#inHand.get(inHand.claim.runId) === inHand
      if (isStillHere && !mine.has(inHand.claim.runId)) inHand.abort.abort()
    }
    await this.#stopWatch.lookAgain()
  }

  async #mark(): Promise<void> {
    await this.#underWay.noteSlow()
    const oldest = performance.now() - markAfterMs
    const slow = [...this.#inHand.values()].filter(({ isMarked, sinceMs }) => !isMarked && sinceMs < oldest)
    if (slow.length === 0) return
    for (const inHand of slow) inHand.isMarked = true
    await markProcessing(
      this.#deps.database.system,
      slow.map(({ claim }) => claim),
    )
  }
}

function placeOf({ workflowId, runNumber }: Run): { workflowId: string; runNumber: number } {
  return { workflowId, runNumber }
}
