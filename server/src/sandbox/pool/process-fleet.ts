import { rm } from 'node:fs/promises'
import type { Owner } from '../../lib/fair-queue.ts'
import type { GuestExit } from '../process/guest-jobs.ts'
import { GuestProcess } from '../process/guest-process.ts'
import type { Launch } from '../walls/launch.ts'
import type { FirstProcess } from './first-process.ts'
import type { PoolLimits } from './pool-options.ts'

/**
 * All script processes of a pool.
 *
 *     starting ──▶ idle ── take ──▶ busy ── give back ──▶ idle
 *                   │                 └── gone, or used up and replaced ──▶ removed
 *                   └── gone, used up and replaced, or not needed for a while ──▶ removed
 *
 * Starting a process costs as much as some hundred scripts, so one is given up only when it is old or has grown, and a used-up process goes
 * on until another one is there to take its place.
 */

const TRIM_MS = 10_000
const IDLE_KEPT = 2
const LOOK_AT_SIZE_RUNS = 100
const RESIDENT_BYTES_MAX = 256 * 1_048_576
const START_FAULTS_MAX = 3
/** How many times the limit of processes there may be when organizations that hold none ask for one. */
const OVERFLOW = 2

export type FleetListener = {
  /** A process is there, or could not be started: work that waits can be looked at again. */
  onChange(): void
  /** Several starts in a row failed and there is no process left. */
  onCannotStart(): void
  /** A process is gone that the service did not kill. */
  onEndedByItself(exit: GuestExit): void
}

export class ProcessFleet {
  readonly launch: Launch
  readonly first: GuestProcess
  readonly #directory: string
  readonly #limits: PoolLimits
  readonly #listener: FleetListener
  readonly #all = new Set<GuestProcess>()
  readonly #starting = new Set<Promise<void>>()
  readonly #trim: NodeJS.Timeout
  #idle: GuestProcess[] = []
  #usedSinceTrim = new WeakSet<GuestProcess>()
  #startFaults = 0
  #separationsLeft: number
  #isClosed = false

  constructor({ launch, directory, first }: FirstProcess, limits: PoolLimits, listener: FleetListener) {
    this.launch = launch
    this.first = first
    this.#directory = directory
    this.#limits = limits
    this.#listener = listener
    this.#separationsLeft = limits.separationsMax
    this.#all.add(first)
    this.#idle.push(first)
    first.onEndedByItself = listener.onEndedByItself
    this.#trim = setInterval(() => this.#endUnused(), TRIM_MS)
    this.#trim.unref()
  }

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): Iterator<GuestProcess> {
    return this.#all.values()
  }

  /**
   * A process that no other organization has used, best one whose isolate is warm for the account. One of another organization is replaced
   * by a new process, as far as the machine can afford that, and given away otherwise.
   */
  takeIdle(owner: Owner): GuestProcess | undefined {
    const own = this.#takeOwn(owner)
    const [foreign] = this.#idle
    if (own || !foreign) return own
    if (this.#starting.size === 0 && this.#separationsLeft > 0) {
      this.#separationsLeft--
      if (this.#all.size >= this.#limits.processesMax) this.#remove(foreign)
      this.#start()
    }
    if (this.#starting.size > 0) return undefined
    this.#idle.shift()
    return foreign
  }

  hasIdleFor(owner: Owner): boolean {
    return this.#idle.some((guest) => !guest.isGone && fits(guest, owner))
  }

  /** So that `wanted` processes are on their way, as far as there may be more. */
  startUpTo(wanted: number): void {
    while (this.#starting.size < wanted && this.#all.size + this.#starting.size < this.#limits.processesMax)
      this.#start()
  }

  /** Beyond the limit, for an organization that holds none: all others may be asleep for an hour. */
  startOneMore(): void {
    if (this.#starting.size === 0 && this.#all.size < this.#limits.processesMax * OVERFLOW) this.#start()
  }

  noteUse(guest: GuestProcess): void {
    this.#usedSinceTrim.add(guest)
    if (++guest.runs % LOOK_AT_SIZE_RUNS === 0 && this.hasGrown(guest)) guest.runs = this.#limits.runsPerProcess
  }

  hasGrown(guest: GuestProcess): boolean {
    return (guest.readResidentBytes() ?? 0) > RESIDENT_BYTES_MAX
  }

  isUsedUp({ runs }: GuestProcess): boolean {
    return runs >= this.#limits.runsPerProcess
  }

  giveBack(guest: GuestProcess): void {
    if (!this.#all.has(guest) || this.#idle.includes(guest)) return
    const isUsedUp = this.isUsedUp(guest)
    const isReplaced = isUsedUp && [...this.#all].some((other) => !this.isUsedUp(other))
    if (guest.isGone || this.#isClosed || isReplaced) this.#remove(guest)
    else this.#idle.push(guest)
    if (isUsedUp && !isReplaced && this.#starting.size === 0) this.#start()
    if (this.#all.size === 0 && this.#starting.size === 0) this.#start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#trim)
    await Promise.all(this.#starting)
    await Promise.all([...this.#all].map((guest) => guest.end()))
    await rm(this.#directory, { recursive: true, force: true })
  }

  #takeOwn(owner: Owner): GuestProcess | undefined {
    // One that the system ended while it had nothing to do: the next script is not to blame.
    for (const guest of this.#idle) if (guest.isGone) this.#remove(guest)
    const sameAccount = this.#idle.findIndex((guest) => guest.owner?.accountId === owner.accountId)
    const index = sameAccount === -1 ? this.#idle.findLastIndex((guest) => fits(guest, owner)) : sameAccount
    return index === -1 ? undefined : this.#idle.splice(index, 1)[0]
  }

  #remove(guest: GuestProcess): void {
    this.#all.delete(guest)
    this.#idle = this.#idle.filter((other) => other !== guest)
    void guest.end()
  }

  #start(): void {
    if (this.#isClosed) return
    const start = GuestProcess.start(this.launch, this.#directory).then((guest) => {
      this.#starting.delete(start)
      if (guest) this.#welcome(guest)
      else if (++this.#startFaults >= START_FAULTS_MAX && this.#all.size === 0) {
        this.#startFaults = 0
        this.#listener.onCannotStart()
      }
      this.#listener.onChange()
    })
    this.#starting.add(start)
  }

  #welcome(guest: GuestProcess): void {
    this.#startFaults = 0
    this.#all.add(guest)
    guest.onEndedByItself = this.#listener.onEndedByItself
    for (const other of this.#idle.filter((idle) => this.isUsedUp(idle))) this.#remove(other)
    this.#idle.push(guest)
  }

  /** Ends processes that were needed only for a while. */
  #endUnused(): void {
    const kept = Math.min(IDLE_KEPT, this.#limits.size)
    for (const guest of [...this.#idle]) {
      if (guest.isGone || (this.#all.size > kept && !this.#usedSinceTrim.has(guest))) this.#remove(guest)
    }
    this.#usedSinceTrim = new WeakSet()
    this.#separationsLeft = this.#limits.separationsMax
  }
}

function fits({ owner: last }: GuestProcess, { organizationId }: Owner): boolean {
  return last === undefined || last.organizationId === organizationId || organizationId === ''
}
