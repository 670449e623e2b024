import { createHash } from 'node:crypto'
import { FairQueue, type Owner } from '../../lib/fair-queue.ts'
import { checkJob } from '../job/check-job.ts'
import { type LibraryFunction, type ScriptJob, writeInputs } from '../job/job.ts'
import { type JobWatcher, runJob, SCRIPT_STOPPED } from '../job/run-job.ts'
import { isOfScript } from '../judge/judge-end.ts'
import type { ScriptCheck, ScriptOutcome } from '../judge/outcome.ts'
import { SCRIPT_CHARACTERS_MAX } from '../limits.ts'
import type { GuestExit } from '../process/guest-jobs.ts'
import type { GuestProcess } from '../process/guest-process.ts'
import type { GuestReport } from '../protocol.ts'
import { describeMissing, type Enforcement, judgeEnforcement } from '../walls/enforcement.ts'
import { listVersionFaults, readVersions } from '../walls/requirements.ts'
import { checkDespiteCrash, runDespiteCrash } from './despite-crash.ts'
import { type FirstProcess, startFirstProcess } from './first-process.ts'
import { type PoolLimits, type SandboxOptions, toPoolLimits } from './pool-options.ts'
import { ProcessFleet } from './process-fleet.ts'
import { ProcessShares } from './process-shares.ts'
import { RealmOwners } from './realm-owners.ts'
import { Tally } from './tally.ts'
import { makeTask, type Request, type Task } from './task.ts'
import { WaitingPlaces } from './waiting-places.ts'

/**
 * Gives scripts to processes.
 *
 *     asked ──▶ waiting ── a process is idle and a place to compute is free ──▶ in a process ──▶ answered
 *      │ │ ▲      │  ▲──── queued on a busy process of its account ──▶ begun ──▲
 *      │ │ │      │  └──── came back without having been begun: alone next time
 *      │ │ │      └─ nobody wants it any more ──▶ given up
 *      │ └─┴─ outside, while too many wait and the script has time
 *      └─ too many wait, or pool closed ──▶ refused
 *
 * Organizations take turns, and the accounts in them. As many scripts compute at a time as there are cores; those that wait for an answer, and those that have computed for
 * long, keep their process but not their place.
 */

/** What is queued lies in the process while another script runs there. */
const QUEUED_CHARACTERS_MAX = 65_536
const TOO_LONG = `The script is longer than ${SCRIPT_CHARACTERS_MAX} characters.`
/** Ctrl-C reaches script processes as well. */
const endedByOperator: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP'])
/** Scripts that are only parsed belong to nobody. */
const nobody: Owner = { organizationId: '', accountId: '' }
const closed = () => new Error('The sandbox is closed.')
const signalsOf = ({ signal, stopSignal, leaveSignal }: ScriptJob) => [signal, stopSignal, leaveSignal]
const isGivenUp = (job: ScriptJob) => signalsOf(job).some((signal) => signal?.aborted)
const givenUp = (): ScriptOutcome => ({ kind: 'aborted', message: SCRIPT_STOPPED, log: [], pauseMs: 0 })

export class MissingWallError extends Error {
  override name = 'MissingWallError'

  constructor(missing: readonly string[]) {
    super(`Scripts do not run here with PATCHBAY_SANDBOX=strict: ${missing.join(' ')}`)
  }
}

export class SandboxPool implements AsyncDisposable {
  readonly enforcement: Enforcement
  /** One sentence for each wall that this platform does not give. */
  readonly missing: readonly string[]
  readonly #limits: PoolLimits
  readonly #fleet: ProcessFleet
  readonly #queue = new FairQueue<Task>()
  readonly #realms = new RealmOwners()
  readonly #libraryKeys = new WeakMap<readonly LibraryFunction[], string>()
  /** Scripts that wait and need a process for themselves, by account. */
  readonly #soloWaiting = new Tally()
  /** Processes whose script runs or waits for an answer. */
  readonly #shares: ProcessShares
  readonly #waitingPlaces: WaitingPlaces
  #computing = 0
  #isClosed = false

  private constructor(found: FirstProcess, options: SandboxOptions) {
    this.#limits = toPoolLimits(options)
    this.#shares = new ProcessShares(this.#limits)
    this.#waitingPlaces = new WaitingPlaces(this.#limits.queueMax)
    this.#fleet = new ProcessFleet(found, this.#limits, {
      onChange: () => this.#pump(),
      onCannotStart: () => this.#refuseAll(new Error('No script process could be started.')),
      onEndedByItself: (exit) => {
        if (!isOfScript(exit) && !endedByOperator.has(exit.signal ?? '')) options.onCrash?.(exit)
      },
    })
    this.enforcement = judgeEnforcement(found.launch, found.first.report as GuestReport)
    this.missing = describeMissing(this.enforcement, { dataLimit: found.dataLimitProblem })
  }

  /** Finds out which walls the platform gives by starting the first process. */
  static async create(options: SandboxOptions = {}): Promise<SandboxPool> {
    const faults = listVersionFaults(readVersions())
    if (faults.length > 0) throw new Error(`Scripts cannot run safely here. ${faults.join(' ')}`)
    const pool = new SandboxPool(await startFirstProcess(options), options)
    if (!options.isStrict || pool.missing.length === 0) return pool
    await pool[Symbol.asyncDispose]()
    throw new MissingWallError(pool.missing)
  }

  get load(): { processes: number; computing: number; queued: number } {
    return { processes: this.#fleet.size, computing: this.#computing, queued: this.#queue.size }
  }

  /** Runs a script. Rejects only for faults of the service; whatever a script does is an outcome. */
  async run(job: ScriptJob): Promise<ScriptOutcome> {
    return job.startsAgain ? runDespiteCrash(job, (again) => this.#runOnce(again)) : this.#runOnce(job)
  }

  async #runOnce(job: ScriptJob): Promise<ScriptOutcome> {
    if (job.script.length > SCRIPT_CHARACTERS_MAX)
      return { kind: 'invalid', message: TOO_LONG, line: 1, column: 1, log: [], pauseMs: 0 }
    const places = this.#waitingPlaces
    const leave = job.isPatient
      ? (places.takeIfFree(job) ?? (await places.waitForOne(job, signalsOf(job))))
      : places.take(job)
    if (!leave) return givenUp()
    // The stop that made room for it may have been meant for it as well.
    if (isGivenUp(job)) {
      leave()
      return givenUp()
    }
    return await this.#runFrom(leave, job)
  }

  async #runFrom(leave: () => void, job: ScriptJob): Promise<ScriptOutcome> {
    let small: string | undefined
    try {
      small = smallText(job)
    } catch (error) {
      leave()
      throw error
    }
    return await this.#enqueue(leave, {
      organizationId: job.organizationId,
      accountId: job.accountId,
      runKey: job.run?.key ?? '',
      mayBeQueuedOnBusyProcess: small !== undefined,
      goesFirst: job.goesFirst ?? false,
      signals: signalsOf(job),
      givenUp,
      work: async (guest) => {
        if (isGivenUp(job)) return givenUp()
        guest.owner = { organizationId: job.organizationId, accountId: job.accountId }
        const inputs = small ?? writeInputs(job.inputs)
        const watcher = this.#watch(job, guest)
        return await runJob({ guest, job, inputs, libraryKey: this.#keyOf(job.library), watcher })
      },
    })
  }

  /** Parses a script as a script process would, without running it. */
  async checkScript(source: string): Promise<ScriptCheck> {
    if (source.length > SCRIPT_CHARACTERS_MAX) return { ok: false, message: TOO_LONG, line: 1, column: 1 }
    return checkDespiteCrash(() => this.#checkOnce(source))
  }

  async #checkOnce(source: string): Promise<ScriptCheck | GuestExit> {
    return await this.#enqueue(this.#waitingPlaces.take(nobody), {
      ...nobody,
      runKey: '',
      mayBeQueuedOnBusyProcess: false,
      work: async (guest) => {
        this.#count(nobody, 1)
        const check = await checkJob(guest, source)
        this.#count(nobody, -1)
        return check
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#refuseAll(closed())
    await this.#fleet.close()
  }

  #watch(job: ScriptJob, guest: GuestProcess): JobWatcher {
    return {
      onBegin: () => {
        this.#count(job, 1)
        job.onBegin?.()
        if (job.run) this.#realms.rememberRealm(job.run, guest)
      },
      onEnd: () => this.#count(job, -1),
      onLong: () => this.#queue.endTurn(job),
      onComputing: (isComputing) => {
        this.#computing += isComputing ? 1 : -1
        if (!isComputing) this.#pump()
      },
    }
  }

  #count(owner: Owner, change: 1 | -1): void {
    this.#computing += change
    this.#shares.count(owner, change)
  }

  /** @param leave called when it waits no longer */
  async #enqueue<T>(leave: () => void, request: Request<T>): Promise<T> {
    if (this.#isClosed) {
      leave()
      throw closed()
    }
    const { task, result } = makeTask(request, leave)
    if (!task.mayBeQueuedOnBusyProcess) this.#soloWaiting.add(task.accountId, 1)
    this.#queue.add(task, request.goesFirst)
    const giveUp = () => this.#giveUp(task)
    for (const signal of request.signals ?? []) signal?.addEventListener('abort', giveUp)
    this.#pump()
    try {
      return await result
    } finally {
      for (const signal of request.signals ?? []) signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Whoever asked for the script does not want it any more, so it is not begun; one that has begun goes on. */
  #giveUp(task: Task): void {
    if (!this.#queue.remove(task)) return
    if (!task.mayBeQueuedOnBusyProcess) this.#soloWaiting.add(task.accountId, -1)
    task.giveUp()
    this.#pump()
  }

  #pump(): void {
    while (!this.#isClosed && this.#computing < this.#limits.size) {
      const found = this.#findProcess()
      if (!found) break
      const { owner, guest } = found
      const task = this.#queue.take(owner, (waiting) => this.#realms.rank(waiting, guest)) as Task
      if (!task.mayBeQueuedOnBusyProcess) this.#soloWaiting.add(owner.accountId, -1)
      this.#begin(guest, task)
    }
    this.#queueOnBusyProcesses()
  }

  #findProcess(): { owner: Owner; guest: GuestProcess } | undefined {
    const owner = this.#nextOwner()
    if (!owner) return undefined
    const guest = this.#fleet.takeIdle(owner)
    if (guest) return { owner, guest }
    // One process for each script that could start now.
    this.#fleet.startUpTo(Math.min(this.#queue.size, this.#limits.size - this.#computing))
    if (this.#shares.holdsNone(owner)) this.#fleet.startOneMore()
    // Others that have an idle process need not wait for that.
    const other = this.#queue.next((one) => this.#shares.mayHoldAnother(one) && this.#fleet.hasIdleFor(one))
    const idle = other && this.#fleet.takeIdle(other)
    return idle && { owner: other, guest: idle }
  }

  #nextOwner(): Owner | undefined {
    return this.#queue.next((owner) => this.#shares.mayHoldAnother(owner))
  }

  /**
   * A process that computes gets its next scripts before it is done with the last one, so that it need not wait until this process has time
   * for it. Only scripts of the account that it works for, only while no other account has its turn, and not past one that has to start alone.
   */
  #queueOnBusyProcesses(): void {
    if (this.#isClosed || this.#queue.size === 0) return
    for (const guest of this.#fleet) {
      while (guest.freeSlots > 0 && !this.#fleet.isUsedUp(guest) && this.#mayQueueOn(guest)) {
        const task = this.#queue.take(guest.owner as Owner, (waiting) => this.#realms.rank(waiting, guest), 1)
        if (!task) break
        this.#begin(guest, task)
      }
    }
  }

  #mayQueueOn({ owner }: GuestProcess): boolean {
    if (!owner || this.#soloWaiting.of(owner.accountId) > 0) return false
    // Nobody has when all that wait have as many processes as they may: another script for one of them makes no difference.
    const next = this.#nextOwner()
    return next === undefined || next.accountId === owner.accountId
  }

  #begin(guest: GuestProcess, task: Task): void {
    this.#fleet.noteUse(guest)
    const isAlone = !task.mayBeQueuedOnBusyProcess
    void task.work(guest).then((isDone) => {
      if (!isDone) this.#putBack(task)
      // Large inputs leave much behind that would count as memory of the next script.
      else if (isAlone && !guest.isBusy && this.#fleet.hasGrown(guest)) guest.kill()
      // It may have turned to the next one already.
      if (!guest.isBusy || guest.isGone) this.#fleet.giveBack(guest)
      // Whoever waited for the result may have the next script of the same run, whose realm is warm.
      process.nextTick(() => this.#pump())
    })
  }

  /** In the ordinary way next time: a script that ends its process at once can look as if it had never begun. */
  #putBack(task: Task): void {
    if (this.#isClosed) {
      task.refuse(closed())
      return
    }
    if (task.isGivenUp()) {
      task.giveUp()
      return
    }
    task.mayBeQueuedOnBusyProcess = false
    this.#soloWaiting.add(task.accountId, 1)
    this.#queue.putBack(task)
  }

  #refuseAll(error: Error): void {
    this.#soloWaiting.clear()
    this.#waitingPlaces.refuseOutsiders(error)
    for (const task of this.#queue.takeAll()) task.refuse(error)
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
  const text = writeInputs(inputs)
  return text.length + script.length <= QUEUED_CHARACTERS_MAX ? text : undefined
}
