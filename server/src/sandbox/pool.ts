import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { AccountQueue } from './account-queue.ts'
import { affordedProcesses } from './afforded-processes.ts'
import { checkJob } from './check-job.ts'
import { describeMissing, type Enforcement, judgeEnforcement } from './enforcement.ts'
import { GuestProcess } from './guest-process.ts'
import type { LibraryFunction, ScriptJob } from './job.ts'
import { type Launch, listIsolations } from './launch.ts'
import { SCRIPT_CHARACTERS_MAX } from './limits.ts'
import type { ScriptCheck, ScriptOutcome } from './outcome.ts'
import { listVersionFaults, readVersions } from './requirements.ts'
import { neverBegun, runJob, SCRIPT_STOPPED } from './run-job.ts'
import { makeWorkDirectory } from './work-directory.ts'

export type SandboxOptions = {
  /** Scripts that compute at the same time, not counting those that have for long. */
  size?: number
  /** Processes in all, those included whose script waits for an answer or takes long. */
  processesMax?: number
  /** Of these, how many scripts of one account may have: scripts that sleep must not keep everybody else waiting. */
  processesPerAccount?: number
  /** Scripts after which a process is replaced. */
  runsPerProcess?: number
  /** Scripts that may wait for a process; more are refused. */
  queueMax?: number
  /** Directories of the service that a script process must not see, where the platform can hide them. */
  hiddenPaths?: readonly string[]
}

type Task = {
  accountId: string
  runKey: string
  sinceMs: number
  /** It may be sent to a process that is still busy with another script. */
  mayGoAhead: boolean
  /** Resolves with false when the process never turned to it. */
  work(guest: GuestProcess): Promise<boolean>
  refuse(error: Error): void
}

const TRIM_MS = 10_000
const IDLE_KEPT = 2
/** A script waits no longer than this for the process that keeps the realm of its run. */
const HOME_MS_MAX = 250
const HOMES_MAX = 1000
const LOOK_AT_SIZE_RUNS = 100
const RESIDENT_BYTES_MAX = 256 * 1_048_576
const START_FAULTS_MAX = 3
/** What is sent ahead lies in the process while another script runs there. */
const AHEAD_CHARACTERS_MAX = 65_536

export class SandboxPool implements AsyncDisposable {
  readonly enforcement: Enforcement
  /** One sentence for each wall that this platform does not give. */
  readonly missing: readonly string[]
  readonly #launch: Launch
  readonly #directory: string
  readonly #options: Required<Omit<SandboxOptions, 'hiddenPaths'>>
  readonly #all = new Set<GuestProcess>()
  readonly #libraryKeys = new WeakMap<readonly LibraryFunction[], string>()
  /** The process that keeps the realm of a run. */
  readonly #homes = new Map<string, GuestProcess>()
  /** Scripts that wait and may not be sent ahead, by account. */
  readonly #alone = new Map<string, number>()
  /** Processes whose script runs or waits for an answer, by account. */
  readonly #held = new Map<string, number>()
  #idle: GuestProcess[] = []
  readonly #queue = new AccountQueue<Task>()
  #starting = new Set<Promise<void>>()
  #startFaults = 0
  #computing = 0
  #isClosed = false
  readonly #trim: NodeJS.Timeout
  #usedSinceTrim = new WeakSet<GuestProcess>()

  private constructor(
    launch: Launch,
    directory: string,
    first: GuestProcess,
    enforcement: Enforcement,
    options: SandboxOptions,
  ) {
    this.#launch = launch
    this.#directory = directory
    const size = options.size ?? availableParallelism()
    const processesMax = Math.max(size, options.processesMax ?? affordedProcesses(size))
    this.#options = {
      size,
      processesMax,
      processesPerAccount: options.processesPerAccount ?? Math.max(1, size, Math.floor(processesMax / 2)),
      runsPerProcess: options.runsPerProcess ?? 40_000,
      queueMax: options.queueMax ?? 10_000,
    }
    this.enforcement = enforcement
    this.missing = describeMissing(enforcement)
    this.#all.add(first)
    this.#idle.push(first)
    this.#trim = setInterval(() => this.#endUnused(), TRIM_MS)
    this.#trim.unref()
  }

  /** Finds out which walls the platform gives by starting the first process. */
  static async create(options: SandboxOptions = {}): Promise<SandboxPool> {
    const faults = listVersionFaults(readVersions())
    if (faults.length > 0) throw new Error(`Scripts cannot run safely here. ${faults.join(' ')}`)
    const directory = await makeWorkDirectory()
    for (const isolation of listIsolations()) {
      const launch: Launch = { isolation, hiddenPaths: options.hiddenPaths ?? [] }
      const guest = await GuestProcess.start(launch, directory)
      if (!guest?.report) continue
      return new SandboxPool(launch, directory, guest, judgeEnforcement(isolation, guest.report), options)
    }
    await rm(directory, { recursive: true, force: true })
    throw new Error('No process for scripts could be started.')
  }

  get load(): { processes: number; computing: number; queued: number } {
    return { processes: this.#all.size, computing: this.#computing, queued: this.#queue.size }
  }

  /** Runs a script. Rejects only for faults of the service; whatever a script does is an outcome. */
  async run(job: ScriptJob): Promise<ScriptOutcome> {
    if (job.script.length > SCRIPT_CHARACTERS_MAX) {
      return {
        kind: 'invalid',
        message: `The script is longer than ${SCRIPT_CHARACTERS_MAX} characters.`,
        line: 1,
        column: 1,
        log: [],
        pauseMs: 0,
      }
    }
    const small = smallText(job)
    return await this.#enqueue(job.accountId, job.run?.key ?? '', small !== undefined, async (guest) => {
      if (job.signal?.aborted) return { kind: 'aborted', message: SCRIPT_STOPPED, log: [], pauseMs: 0 }
      guest.accountId = job.accountId
      const inputs = small ?? JSON.stringify(job.inputs)
      return await runJob(guest, job, inputs, this.#keyOf(job.library), {
        onBegin: () => {
          this.#count(job.accountId, 1)
          if (job.run) this.#settleIn(job.run, guest)
        },
        onEnd: () => this.#count(job.accountId, -1),
        onLong: () => this.#queue.endTurn(job.accountId),
        onPlace: (needsPlace) => {
          this.#computing += needsPlace ? 1 : -1
          if (!needsPlace) this.#pump()
        },
      })
    })
  }

  /** Parses a script as a script process would, without running it. */
  async checkScript(source: string): Promise<ScriptCheck> {
    if (source.length > SCRIPT_CHARACTERS_MAX) {
      return {
        ok: false,
        message: `The script is longer than ${SCRIPT_CHARACTERS_MAX} characters.`,
        line: 1,
        column: 1,
      }
    }
    return await this.#enqueue('', '', false, async (guest) => {
      this.#count('', 1)
      const check = await checkJob(guest, source)
      this.#count('', -1)
      return check
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#trim)
    this.#refuseAll(new Error('The sandbox is closed.'))
    await Promise.all(this.#starting)
    await Promise.all([...this.#all].map((guest) => guest.end()))
    await rm(this.#directory, { recursive: true, force: true })
  }

  #enqueue<T>(
    accountId: string,
    runKey: string,
    mayGoAhead: boolean,
    work: (guest: GuestProcess) => Promise<T | typeof neverBegun>,
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('The sandbox is closed.'))
    if (this.#queue.size >= this.#options.queueMax) return Promise.reject(new Error('Too many scripts are waiting.'))
    const result = Promise.withResolvers<T>()
    if (!mayGoAhead) this.#countAlone(accountId, 1)
    this.#queue.add({
      accountId,
      runKey,
      sinceMs: performance.now(),
      mayGoAhead,
      work: async (guest) => {
        try {
          const value = await work(guest)
          if (value === neverBegun) return false
          result.resolve(value)
        } catch (error) {
          result.reject(error)
        }
        return true
      },
      refuse: result.reject,
    })
    this.#pump()
    return result.promise
  }

  #pump(): void {
    while (!this.#isClosed && this.#computing < this.#options.size) {
      const accountId = this.#nextAccount()
      if (accountId === undefined) break
      const guest = this.#takeIdle(accountId)
      if (!guest) {
        // One process for each script that could start now, as far as there may be more.
        const wanted = Math.min(this.#queue.size, this.#options.size - this.#computing)
        while (this.#starting.size < wanted && this.#all.size + this.#starting.size < this.#options.processesMax)
          this.#startGuest()
        return
      }
      const task = this.#queue.take(accountId, (waiting) => this.#rank(waiting, guest)) as Task
      if (!task.mayGoAhead) this.#countAlone(accountId, -1)
      this.#begin(guest, task)
    }
    this.#sendAhead()
  }

  #nextAccount(): string | undefined {
    return this.#queue.next((id) => (this.#held.get(id) ?? 0) < this.#options.processesPerAccount)
  }

  /**
   * A process that computes gets its next scripts before it is done with the last one, so that it need not wait until this process has time
   * for it. Only scripts of the account that it works for, only while no other account has its turn, and not past one that has to start alone.
   */
  #sendAhead(): void {
    if (this.#isClosed || this.#queue.size === 0) return
    for (const guest of this.#all) {
      while (guest.room > 0 && guest.runs < this.#options.runsPerProcess && this.#mayGetAhead(guest)) {
        const task = this.#queue.take(guest.accountId, (waiting) => this.#rank(waiting, guest), 1)
        if (!task) break
        this.#begin(guest, task)
      }
    }
  }

  #mayGetAhead({ accountId }: GuestProcess): boolean {
    // Nobody has when all that wait have as many processes as they may: another script for one of them makes no difference.
    const next = this.#nextAccount() ?? accountId
    return next === accountId && !this.#alone.has(accountId)
  }

  /** A script goes where the realm of its run is. Runs under way go first: the fewer are open, the fewer realms are kept. */
  #rank(task: Task, guest: GuestProcess): number {
    const home = this.#homes.get(task.runKey)
    if (home === guest) return 0
    if (home === undefined || home.isGone) return 1
    return performance.now() - task.sinceMs > HOME_MS_MAX ? 0 : 2
  }

  #takeIdle(accountId: string): GuestProcess | undefined {
    // One that the system ended while it had nothing to do: the next script is not to blame.
    for (const guest of this.#idle) if (guest.isGone) this.#remove(guest)
    const same = this.#idle.findIndex((guest) => guest.accountId === accountId)
    return this.#idle.splice(same === -1 ? this.#idle.length - 1 : same, 1)[0]
  }

  #begin(guest: GuestProcess, task: Task): void {
    this.#usedSinceTrim.add(guest)
    // Starting a process costs as much as some hundred scripts, so one is given up only when it is old or has grown.
    if (++guest.runs % LOOK_AT_SIZE_RUNS === 0 && this.#hasGrown(guest)) guest.runs = this.#options.runsPerProcess
    const isAlone = !task.mayGoAhead
    void task.work(guest).then((isDone) => {
      if (!isDone) this.#putBack(task)
      // Large inputs leave much behind that would count as memory of the next script.
      else if (isAlone && !guest.isBusy && this.#hasGrown(guest)) guest.kill()
      // It may have turned to the next one already.
      if (!guest.isBusy || guest.isGone) this.#takeBack(guest)
      // Whoever waited for the result may have the next script of the same run, whose realm is warm.
      process.nextTick(() => this.#pump())
    })
  }

  /** In the ordinary way next time: a script that ends its process at once can look as if it had never begun. */
  #putBack(task: Task): void {
    if (this.#isClosed) {
      task.refuse(new Error('The sandbox is closed.'))
      return
    }
    task.mayGoAhead = false
    this.#countAlone(task.accountId, 1)
    this.#queue.putBack(task)
  }

  #countAlone(accountId: string, change: 1 | -1): void {
    const count = (this.#alone.get(accountId) ?? 0) + change
    if (count === 0) this.#alone.delete(accountId)
    else this.#alone.set(accountId, count)
  }

  #count(accountId: string, change: 1 | -1): void {
    this.#computing += change
    this.#hold(accountId, change)
  }

  #hasGrown(guest: GuestProcess): boolean {
    return (guest.readResidentBytes() ?? 0) > RESIDENT_BYTES_MAX
  }

  #settleIn({ key, isLast }: { key: string; isLast: boolean }, guest: GuestProcess): void {
    this.#homes.delete(key)
    if (!isLast) this.#homes.set(key, guest)
    // Failed runs never tell that they are over.
    if (this.#homes.size > HOMES_MAX) this.#homes.delete(this.#homes.keys().next().value as string)
  }

  #hold(accountId: string, change: 1 | -1): void {
    const held = (this.#held.get(accountId) ?? 0) + change
    if (held === 0) this.#held.delete(accountId)
    else this.#held.set(accountId, held)
  }

  #takeBack(guest: GuestProcess): void {
    if (!this.#all.has(guest) || this.#idle.includes(guest)) return
    const isUsedUp = guest.runs >= this.#options.runsPerProcess
    // A used-up process goes on until another one is there to take its place.
    const isReplaced = isUsedUp && [...this.#all].some((other) => other.runs < this.#options.runsPerProcess)
    if (guest.isGone || this.#isClosed || isReplaced) this.#remove(guest)
    else this.#idle.push(guest)
    if (isUsedUp && !isReplaced && this.#starting.size === 0) this.#startGuest()
    if (this.#all.size === 0 && this.#starting.size === 0 && !this.#isClosed) this.#startGuest()
  }

  #remove(guest: GuestProcess): void {
    this.#all.delete(guest)
    this.#idle = this.#idle.filter((other) => other !== guest)
    void guest.end()
  }

  #startGuest(): void {
    if (this.#isClosed) return
    const start = GuestProcess.start(this.#launch, this.#directory).then((guest) => {
      this.#starting.delete(start)
      if (guest) {
        this.#startFaults = 0
        this.#all.add(guest)
        for (const other of this.#idle.filter(({ runs }) => runs >= this.#options.runsPerProcess)) this.#remove(other)
        this.#idle.push(guest)
      } else if (++this.#startFaults >= START_FAULTS_MAX && this.#all.size === 0) {
        this.#startFaults = 0
        this.#refuseAll(new Error('No process for scripts could be started.'))
      }
      this.#pump()
    })
    this.#starting.add(start)
  }

  #refuseAll(error: Error): void {
    this.#alone.clear()
    for (const task of this.#queue.takeAll()) task.refuse(error)
  }

  /** Ends processes that were needed only for a while. */
  #endUnused(): void {
    for (const guest of [...this.#idle]) {
      if (guest.isGone || (this.#all.size > Math.min(IDLE_KEPT, this.#options.size) && !this.#usedSinceTrim.has(guest)))
        this.#remove(guest)
    }
    this.#usedSinceTrim = new WeakSet()
  }

  #keyOf(library: readonly LibraryFunction[]): string {
    let key = this.#libraryKeys.get(library)
    if (key === undefined) {
      key = createHash('sha256').update(JSON.stringify(library)).digest('base64url')
      this.#libraryKeys.set(library, key)
    }
    return key
  }
}

/** The inputs as text, unless they are large: such a text must not lie in memory beside them for as long as the script waits. */
function smallText({ inputs, script }: ScriptJob): string | undefined {
  const text = JSON.stringify(inputs)
  return text.length + script.length <= AHEAD_CHARACTERS_MAX ? text : undefined
}
