/**
 * Looks whether workflows do what is expected of them. An expectation is met or not; its row is locked while it is judged, so that of any
 * number of processes one raises and one clears:
 *
 *   met ─(not seen in time, too few or too many items)─► not met, alarm raised ─(fine again)─► met, alarm cleared
 */

import type { Database, Tx } from '../db/index.ts'
import { learnUsual } from '../engine/usual.ts'
import { Recurring } from '../lib/recurring.ts'
import { type CurrentNames, findCurrentNames } from '../workflows/index.ts'
import {
  type CheckedRun,
  deleteOldAlarms,
  deleteOldSamples,
  insertSample,
  listDue,
  listItemCounts,
  listSamples,
  noteRequests,
  noteSuccess,
  takeChecks,
} from './check-store.ts'
import type { Expectation } from './expectation.ts'
import { explainItems, explainSilence, explainUnusual } from './messages.ts'
import { lockExpectations } from './store.ts'
import { raiseAlarm, settleAlarm, type TellDeps } from './tell.ts'

const lookMs = 1_000
const sweepMs = 3_600_000
const runsAtOnce = 100

type Deps = TellDeps & {
  database: Database
  /** Days that an alarm is kept after it was cleared. */
  daysKept: number
  onFault(error: unknown): void
}

export class AlarmKeeper implements AsyncDisposable {
  readonly #deps: Deps
  readonly #looking: Recurring
  readonly #sweeping: Recurring

  constructor(deps: Deps) {
    this.#deps = deps
    const { onFault } = deps
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault })
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  start(): void {
    this.#looking.start()
    this.#sweeping.start()
  }

  async sweep(): Promise<void> {
    const { database, daysKept } = this.#deps
    await deleteOldSamples(database.system)
    await deleteOldAlarms(database.system, daysKept)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#looking[Symbol.asyncDispose](), this.#sweeping[Symbol.asyncDispose]()])
  }

  async #look(): Promise<void> {
    const { system } = this.#deps.database
    // Runs first: a success that waits to be looked at must not be missed by the clock.
    while (!this.#looking.isStopping && (await system.transaction((tx) => this.#checkRuns(tx))) > 0);
    await noteRequests(system)
    for (const workflowId of await listDue(system))
      await system.transaction((tx) => this.#checkTime(tx, workflowId, Date.now()))
  }

  async #checkRuns(tx: Tx): Promise<number> {
    const runs = await takeChecks(tx, runsAtOnce)
    const [first] = runs
    if (!first) return 0
    const { workflowId } = first
    await noteSuccess(tx, workflowId, runs.at(-1)?.endedAt ?? first.endedAt)
    const expectations = await lockExpectations(tx, workflowId)
    const names = await findCurrentNames(tx, workflowId)
    const counts = await listItemCounts(
      tx,
      runs.map(({ runId }) => runId),
    )
    for (const expectation of expectations)
      if (expectation.uniqueBlockId !== null) await this.#checkItems(tx, expectation, names, { runs, counts })
    return runs.length
  }

  async #checkItems(
    tx: Tx,
    given: Expectation,
    names: CurrentNames,
    { runs, counts }: { runs: readonly CheckedRun[]; counts: ReadonlyMap<string, number> },
  ): Promise<void> {
    const blockId = given.uniqueBlockId as string
    let expectation = given
    for (const { runId, runNumber, endedAt } of runs) {
      const count = counts.get(`${runId} ${blockId}`)
      if (count === undefined) continue
      const seen = { blockName: names.blocks.get(blockId) ?? blockId, runNumber, count }
      const message = await judge(tx, expectation, seen, endedAt)
      await this.#settle(tx, expectation, names, message)
      expectation = { ...expectation, isMet: message === undefined }
    }
  }

  async #checkTime(tx: Tx, workflowId: string, now: number): Promise<void> {
    const names = await findCurrentNames(tx, workflowId)
    for (const expectation of await lockExpectations(tx, workflowId)) {
      if (expectation.hours === null) continue
      const isLate = expectation.lastSeenAt.getTime() + expectation.hours * 3_600_000 <= now
      await this.#settle(tx, expectation, names, isLate ? explainSilence(expectation) : undefined)
    }
  }

  /** Without a message it is met. */
  async #settle(tx: Tx, expectation: Expectation, names: CurrentNames, message: string | undefined): Promise<void> {
    if (message === undefined) {
      if (!expectation.isMet) await settleAlarm(this.#deps, tx, expectation, names.workflow)
    } else if (expectation.isMet)
      await raiseAlarm(this.#deps, tx, expectation, { workflowName: names.workflow, message })
  }
}

/** The sentence of an alarm; undefined when all is well. */
async function judge(
  tx: Tx,
  expectation: Expectation,
  seen: { blockName: string; runNumber: number; count: number },
  at: Date,
): Promise<string | undefined> {
  const { kind, accountId, workflowId, min, max } = expectation
  if (kind === 'itemsBetween') {
    const isInside = seen.count >= (min ?? 0) && seen.count <= (max ?? Number.POSITIVE_INFINITY)
    return isInside ? undefined : explainItems(expectation, seen)
  }
  const blockId = expectation.uniqueBlockId as string
  const usual = learnUsual(await listSamples(tx, workflowId, blockId, at))
  await insertSample(tx, { workflowId, blockId, accountId, at, items: seen.count })
  const isUsual = !usual || (seen.count >= usual.lowest && seen.count <= usual.highest)
  return isUsual ? undefined : explainUnusual(usual, seen)
}
