import type { FromGuest } from '../protocol.ts'

/**
 * The jobs of one script process: the one under way and those queued behind it.
 *
 *     queued ── the job before it is done ──▶ under way ── done ──▶ over
 *       │                                         └── process gone ──▶ exit
 *       └── recalled before it was begun, or process gone ──▶ returned
 *
 * The process goes from one job to the next without being told, so the service only believes that a job was begun. A recall settles it: the
 * process answers which job it began last, and until that answer is here it gets no more.
 */

/** Queued at most: enough to keep the process busy while the service looks at other things. */
const QUEUED_MAX = 7
/** What is queued should take no longer than this, going by the scripts before it: others may want the process. */
const QUEUED_MS = 25
/** How much the last script says about the next one, against all before it. */
const PACE_WEIGHT = 0.2

/** How a process ended. `stderr` is what V8 said last, if anything. */
export type GuestExit = { code: number | null; signal: string | null; stderr: string; wasMakingIsolate: boolean }

export type GuestListener = {
  /** The process turns to this job now. */
  begin?(): void
  message(message: FromGuest): void
  exit(exit: GuestExit): void
  /** The process never turned to this job, and never will. */
  onReturned?(): void
}

type Listening = GuestListener & { job: number; hasSpoken: boolean }

export class GuestJobs {
  readonly #canRecall: boolean
  /** In the order in which they will be begun. */
  #listeners: Listening[] = []
  #mayQueue = true
  /** How long a script takes here, waits for answers included. At first it counts as too long. */
  #paceMs = 2 * QUEUED_MS
  #begunAt = 0
  /** The last of the jobs that were recalled, until the process has told which of them it had begun. */
  #recalledTo: number | undefined

  constructor(canRecall: boolean) {
    this.#canRecall = canRecall
  }

  get isBusy(): boolean {
    return this.#listeners.length > 0
  }

  /** How many more may be queued: none when the process does not compute, or has for long, or when it is unclear which jobs it has. */
  get freeSlots(): number {
    if (!this.#mayQueue || this.#recalledTo !== undefined || !this.isBusy) return 0
    return this.#queuedMax() - this.#listeners.length + 1
  }

  add(job: number, listener: GuestListener): void {
    this.#listeners.push({ ...listener, job, hasSpoken: false })
    if (this.#listeners.length === 1) this.#beginFirst()
  }

  /** Nothing more is queued behind the job under way. Returns the last job to recall, if the process has to be asked. */
  recall(): number | undefined {
    this.#mayQueue = false
    if (this.#listeners.length < 2 || this.#recalledTo !== undefined) return undefined
    this.#recalledTo = this.#listeners.at(-1)?.job
    return this.#recalledTo
  }

  /**
   * The process will begin none of the recalled jobs that come after `lastBegun`. Its word may come after the end of the job before, which
   * made us think that it had.
   */
  onRecalled(lastBegun: number): void {
    const last = this.#recalledTo
    if (last === undefined) throw new TypeError('A script process gave back jobs that it was not asked for.')
    this.#recalledTo = undefined
    const returned = this.#listeners.filter(({ job }) => job > lastBegun && job <= last)
    if (returned.some(({ hasSpoken }) => hasSpoken))
      throw new TypeError('A script process gave back a job that it had begun.')
    this.#listeners = this.#listeners.filter((listening) => !returned.includes(listening))
    for (const { onReturned } of returned.reverse()) onReturned?.()
  }

  deliver(message: FromGuest): void {
    const listening = this.#listeners[0]
    if (listening) listening.hasSpoken = true
    listening?.message(message)
  }

  /** The job under way is over. Returns true when more are queued behind the next one than its pace allows. */
  turn(): boolean {
    this.#listeners.shift()
    this.#paceMs += PACE_WEIGHT * (performance.now() - this.#begunAt - this.#paceMs)
    this.#beginFirst()
    return this.#listeners.length - 1 > this.#queuedMax()
  }

  /** The process said that it is ready, which is no job. */
  forget(): void {
    this.#listeners = []
  }

  /** The process is gone: only the job under way hears how. */
  end(exit: GuestExit): void {
    const [underWay, ...queued] = this.#listeners
    this.#listeners = []
    underWay?.exit(exit)
    for (const { onReturned } of queued.reverse()) onReturned?.()
  }

  #queuedMax(): number {
    return Math.min(QUEUED_MAX, Math.floor(QUEUED_MS / this.#paceMs))
  }

  #beginFirst(): void {
    this.#mayQueue = this.#canRecall
    this.#begunAt = performance.now()
    this.#listeners[0]?.begin?.()
  }
}
