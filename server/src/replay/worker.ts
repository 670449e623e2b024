// The worker's side of replays. Each run that is done is stored by itself, so another worker goes on where one died.
import { isAway } from '../db/index.ts'
import { GroupCommit } from '../lib/group-commit.ts'
import { Recurring } from '../lib/recurring.ts'
import type { Job, JobQueue } from '../queue/index.ts'
import { runnableOf } from '../workflows/index.ts'
import type { ReplayDeps } from './replay-run.ts'
import { replayRuns } from './replay-runs.ts'
import { ReplayTarget } from './replay-target.ts'
import { openRequest, sealResult } from './sealed-replay.ts'
import { replayQueue } from './start-replay.ts'
import {
  deleteOldReplays,
  endReplay,
  findReplay,
  listWaitingRuns,
  type ReplayedPosition,
  type StoredReplay,
  updateReplayRuns,
} from './store.ts'

export type ReplayWorkerDeps = ReplayDeps & { jobs: JobQueue }

const replaysAtOnce = 4
const runsAtOnce = 16
/** Results are seen so much later, and many go to the database together. */
const gatherMs = 10
const triesMax = 5
const sweepMs = 10 * 60_000

export class ReplayWorker implements AsyncDisposable {
  readonly #deps: ReplayWorkerDeps
  readonly #stop = new AbortController()
  readonly #sweeping: Recurring
  readonly #results: GroupCommit<ReplayedPosition, undefined>

  constructor(deps: ReplayWorkerDeps) {
    this.#deps = deps
    this.#results = new GroupCommit((results) => updateReplayRuns(deps.database.system, results), {
      batchesAtOnce: 1,
      itemsMax: 50,
      gatherMs: () => gatherMs,
      weight: { of: ({ sealed }) => sealed.length, max: 1_000_000 },
      isShared: isAway,
    })
    this.#sweeping = new Recurring(() => deleteOldReplays(deps.database.system), {
      pauseMs: sweepMs,
      onFault: deps.onFault,
    })
  }

  async start(): Promise<void> {
    this.#sweeping.startNow()
    await this.#deps.jobs.work<{ replayId: string }>(replayQueue, replaysAtOnce, (job) => this.#work(job))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #work({ data, attempt }: Job<{ replayId: string }>): Promise<void> {
    const { database, onFault } = this.#deps
    const replay = await findReplay(database.system, data.replayId)
    if (replay?.state !== 'Running') return
    try {
      await this.#replayAll(replay)
      await endReplay(database.system, replay.id, 'Completed')
    } catch (error) {
      // Another worker goes on with it, or this one after a while.
      if (this.#stop.signal.aborted || attempt < triesMax) throw error
      onFault(error)
      await endReplay(database.system, replay.id, 'Failed')
    }
  }

  async #replayAll(replay: StoredReplay): Promise<void> {
    const { database, keyRing } = this.#deps
    const target = await this.#targetOf(replay)
    const waiting = await listWaitingRuns(database.system, replay.accountId, replay.id)
    const stored: Promise<unknown>[] = []
    await replayRuns(this.#deps, target, {
      runNumbers: waiting.map(({ runNumber }) => runNumber),
      atOnce: runsAtOnce,
      signal: this.#stop.signal,
      onReplayed: async ({ run }, index) => {
        const { position } = waiting[index] as (typeof waiting)[number]
        const sealed = await sealResult(keyRing, replay, position, run)
        // The next run does not wait for it.
        const storing = this.#results.add({ replayId: replay.id, position, outcome: run.outcome, sealed })
        storing.catch(() => {})
        stored.push(storing)
      },
    })
    await Promise.all(stored)
  }

  async #targetOf(replay: StoredReplay): Promise<ReplayTarget> {
    const { keyRing, findDefinition } = this.#deps
    const request = await openRequest(keyRing, replay, replay.sealedRequest)
    const stored = await findDefinition(replay.accountId, replay.workflowId, request.revision)
    if (!stored) throw new Error(`The workflow ${replay.workflowId} of a replay is gone.`)
    const { definition, namedVariables, answers } = request
    const workflow = definition ? runnableOf({ ...stored, id: stored.workflowId }, definition) : stored
    return new ReplayTarget(this.#deps, { workflow, namedVariables, answers })
  }
}
