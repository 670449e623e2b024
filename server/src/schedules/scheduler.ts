/**
 * Starts what is due. Any number of processes look every second; the row of a workflow is locked while its tick is handled, and handling
 * moves `next_run_at` in the transaction that starts the run: so a tick starts at most one run, and none is half handled.
 *
 *   due ─► started | skipped (the last scheduled run is under way, or automatic runs are paused) | too old
 *       ─► next_run_at := the first tick from now on
 */
import type { Database, Scope, Tx } from '../db/index.ts'
import { latestMissedTick, nextTick, parseSchedule } from '../engine/schedule.ts'
import { autoFailuresMax, type RunStarter } from '../runs/index.ts'
import { type DueWorkflow, type HandledTick, listDue, listPausedByFault, unpause, updateTicks } from './store.ts'

export type SchedulerDeps = {
  database: Database
  starter: Pick<RunStarter, 'startAllIn'>
  /** Whether one of the registered applications cannot be reached as things stand. */
  hasFault(scope: Scope, regApplicationIds: string[]): Promise<boolean>
  onFault(error: unknown): void
}

const lookMs = 1000
const dueAtOnce = 50
/** How often workflows that wait for an application are looked at: word of its recovery may have been lost with a process. */
const reviewMs = 60_000

export class Scheduler implements AsyncDisposable {
  readonly #deps: SchedulerDeps
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isStopping = false
  #reviewedAt = performance.now()

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look()
        .catch((error) => this.#deps.onFault(error))
        .finally(() => {
          this.#looking = undefined
        })
    }, lookMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    while (!this.#isStopping && (await this.#handleDue()) === dueAtOnce);
    if (performance.now() - this.#reviewedAt < reviewMs) return
    this.#reviewedAt = performance.now()
    await this.#reviewPaused()
  }

  async #reviewPaused(): Promise<void> {
    const { system } = this.#deps.database
    const recovered: string[] = []
    for (const { id, scope, applications } of await listPausedByFault(system, autoFailuresMax))
      if (!(await this.#deps.hasFault(scope, applications))) recovered.push(id)
    if (recovered.length > 0) await unpause(system, recovered, autoFailuresMax)
  }

  async #handleDue(): Promise<number> {
    return this.#deps.database.system.transaction(async (tx) => {
      const due = await listDue(tx, dueAtOnce)
      if (due.length > 0) await this.#handleAll(tx, due)
      return due.length
    })
  }

  async #handleAll(tx: Tx, due: readonly DueWorkflow[]): Promise<void> {
    const judged = await Promise.all(due.map((workflow) => this.#judge(workflow)))
    const starting = judged.filter(({ mayRun }) => mayRun)
    const started = await this.#deps.starter.startAllIn(
      tx,
      starting.map(({ workflow }) => ({ accountId: workflow.accountId, workflowId: workflow.id, runBy: 'Scheduler' })),
    )
    const runIds = new Map(starting.map(({ workflow }, index) => [workflow.id, started[index]?.id ?? null]))
    await updateTicks(
      tx,
      judged.map(({ workflow, tick, nextRunAt, isPaused }): HandledTick => {
        return { id: workflow.id, tick, nextRunAt, isPaused, runId: runIds.get(workflow.id) ?? null }
      }),
    )
  }

  async #judge(workflow: DueWorkflow) {
    const { now, nextRunAt: due, lastTick } = workflow
    const schedule = parseSchedule(workflow.frequency, workflow.timeZone)
    // It was checked when it was stored.
    if (!schedule.ok) throw new Error(`Workflow ${workflow.id} has a schedule that cannot be read.`)
    const handled = new Date(Math.max(due.getTime() - 1, lastTick?.getTime() ?? 0))
    const tick = latestMissedTick(schedule.value, handled, now)
    const scope = { organizationId: workflow.organizationId, accountId: workflow.accountId }
    const isPaused =
      workflow.autoFailures >= autoFailuresMax ||
      (workflow.applications.length > 0 && (await this.#deps.hasFault(scope, workflow.applications)))
    return {
      workflow,
      tick,
      isPaused,
      nextRunAt: nextTick(schedule.value, now),
      mayRun: tick !== null && !isPaused && !workflow.isUnderWay,
    }
  }
}
