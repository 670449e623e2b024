/**
 * Starts what is due. Any number of processes look every second; the row of a workflow is locked while its tick is handled, and handling
 * moves `next_run_at` in the transaction that starts the run: so a tick starts at most one run, and none is half handled.
 *
 *   due ─► started | skipped (the last scheduled run is under way) | missed (automatic runs are paused) | too old
 *       ─► next_run_at := the first tick from now on
 *   missed ─► started once, when automatic runs go on
 *   paused by failures ─► one run now and then, until one succeeds
 *
 * Whether automatic runs are paused stands in the workflow's row: the database keeps it right whenever a connection it needs breaks or
 * recovers, in the same transaction.
 */
import type { Database, Tx } from '../db/index.ts'
import { latestMissedTick, nextTick, parseSchedule } from '../engine/time/schedule.ts'
import { Recurring } from '../lib/recurring.ts'
import { claimTries, type RunStarter } from '../runs/index.ts'
import { type DueWorkflow, type HandledTick, listDue, listRecovering, updateRecovering, updateTicks } from './store.ts'

export type SchedulerDeps = {
  database: Database
  starter: Pick<RunStarter, 'startAllIn'>
  /** Whether the account may store more; a tick without room is skipped. */
  hasRoom(accountId: string): boolean
  hasDisk(): boolean
  onFault(error: unknown): void
}

const lookMs = 1000
const dueAtOnce = 200
const unreadableAgainMs = 3_600_000

export class Scheduler implements AsyncDisposable {
  readonly #deps: SchedulerDeps
  readonly #looking: Recurring

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault: deps.onFault })
  }

  start(): void {
    this.#looking.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    // What is due stays due, and its latest tick is made up for when there is room again.
    if (!this.#deps.hasDisk()) return
    while (!this.#looking.isStopping && (await this.#handleDue()) === dueAtOnce);
    while (!this.#looking.isStopping && (await this.#handleRecovering()) === dueAtOnce);
  }

  async #handleDue(): Promise<number> {
    return this.#deps.database.system.transaction(async (tx) => {
      const due = await listDue(tx, dueAtOnce)
      if (due.length > 0) await this.#handleAll(tx, due)
      return due.length
    })
  }

  async #handleAll(tx: Tx, due: readonly DueWorkflow[]): Promise<void> {
    const judged = judgeAll(due, this.#deps.onFault)
    const mayStart = (accountId: string) => this.#deps.hasRoom(accountId)
    const starting = judged.flatMap(({ workflow, mayRun }) =>
      mayRun && mayStart(workflow.accountId) ? [workflow] : [],
    )
    const runIds = await this.#start(tx, starting)
    await updateTicks(
      tx,
      judged.map(({ workflow, tick, nextRunAt }): HandledTick => {
        const isMissed = tick !== null && workflow.isPaused
        return { id: workflow.id, tick, nextRunAt, runId: runIds.get(workflow.id) ?? null, isMissed }
      }),
    )
  }

  async #handleRecovering(): Promise<number> {
    return this.#deps.database.system.transaction(async (tx) => {
      const found = await listRecovering(tx, dueAtOnce)
      const paused = found.filter(({ isTry }) => isTry).map(({ id }) => id)
      const trying = await claimTries(tx, paused)
      const runIds = await this.#start(
        tx,
        found.filter(({ id, isTry }) => !isTry || trying.has(id)),
      )
      if (runIds.size > 0) await updateRecovering(tx, runIds)
      return found.length
    })
  }

  /** Ids of the runs by workflow; one whose workflow was undeployed meanwhile has none. */
  async #start(tx: Tx, workflows: readonly { id: string; accountId: string }[]): Promise<Map<string, string>> {
    const started = await this.#deps.starter.startAllIn(
      tx,
      workflows.map(({ id, accountId }) => ({ accountId, workflowId: id, runBy: 'Scheduler' })),
    )
    return new Map(workflows.flatMap(({ id }, index) => (started[index] ? [[id, started[index].id]] : [])))
  }
}

type Ticks = { tick: Date | null; nextRunAt: Date }
type Judged = Ticks & { workflow: DueWorkflow; mayRun: boolean }

/** At one moment for all. Many have the same schedule, and to find its ticks takes longer than to start a run. */
function judgeAll(due: readonly DueWorkflow[], onFault: (error: unknown) => void): Judged[] {
  const now = due[0]?.now ?? new Date()
  const found = new Map<string, Ticks>()
  return due.map((workflow) => {
    const handled = Math.max(workflow.nextRunAt.getTime() - 1, workflow.lastTick?.getTime() ?? 0)
    const key = `${workflow.frequency} ${workflow.timeZone} ${handled}`
    const ticks = found.get(key) ?? findTicks(workflow, new Date(handled), now) ?? putOff(workflow, now, onFault)
    found.set(key, ticks)
    return { workflow, ...ticks, mayRun: ticks.tick !== null && !workflow.isPaused && !workflow.isUnderWay }
  })
}

/** Undefined when the schedule cannot be read. */
function findTicks({ frequency, timeZone }: DueWorkflow, handled: Date, now: Date): Ticks | undefined {
  const schedule = parseSchedule(frequency, timeZone)
  if (!schedule.ok) return undefined
  return { tick: latestMissedTick(schedule.value, handled, now), nextRunAt: nextTick(schedule.value, now) }
}

/** Schedules are checked when they are stored, but a time zone may be unknown to the next release. One such schedule must not stop the others. */
function putOff({ id }: DueWorkflow, now: Date, onFault: (error: unknown) => void): Ticks {
  onFault(new Error(`The schedule of workflow ${id} cannot be read, so it starts no runs. Set it again.`))
  return { tick: null, nextRunAt: new Date(now.getTime() + unreadableAgainMs) }
}
