import { type Failure, judgeEnd, judgeExit, outOfMemory, type Verdict } from '../judge/judge-end.ts'
import { isLargeEnd, judgeLarge } from '../judge/judge-large.ts'
import type { ScriptOutcome } from '../judge/outcome.ts'
import { defaultLimits, type ScriptLimits } from '../limits.ts'
import { createLearningMasker, type LearningMasker } from '../mask/mask.ts'
import type { GuestProcess } from '../process/guest-process.ts'
import type { FromGuest, GuestEnd } from '../protocol.ts'
import type { ScriptJob } from './job.ts'
import { type CallMessage, OpenCalls } from './open-calls.ts'
import { type Expiry, type ScriptClock, startScriptClock } from './script-clock.ts'
import { createScriptLog, type ScriptLog } from './script-log.ts'

/**
 * One script in one process.
 *
 *                        answer
 *               ┌───────────────────────┐
 *               ▼                       │
 *     sent ─▶ computing ── idle, or ─▶ waiting
 *      │        │   │     sync call     │
 *      │        │   └─ for LONG_MS ─▶ long: computes on, but no longer in a place
 *      │        ▼                       ▼
 *      │       over ◀── done, killed, or process gone
 *      └─▶ never begun
 *
 * The process is gone afterwards unless the script ended by itself.
 */

/** How often a script that computes is looked at. After the first time the scripts behind it go elsewhere. */
const LOOK_MS = 50
/** A script that computes longer than this leaves its place among those that compute: else a few of them would keep everybody waiting. */
const LONG_MS = 1000
/** A worker that is to stop lets a script sleep out that wakes sooner. */
const LONG_SLEEP_MS = 2000

export const SCRIPT_STOPPED = 'The script was stopped.'
export const STOPPED_ASLEEP = 'The run was stopped while the script slept.'

export type JobWatcher = {
  onBegin(): void
  /** After it was begun, however it ended. */
  onEnd(): void
  /** Whether the script needs a place among those that compute: not while it waits for an answer, and not when it takes long. */
  onComputing(isComputing: boolean): void
  /** The script computes for so long that others go first. */
  onLong(): void
}

export type JobRequest = {
  guest: GuestProcess
  job: ScriptJob
  /** The job's inputs as JSON text. */
  inputs: string
  libraryKey: string
  watcher: JobWatcher
}

/** The process never turned to the script: it may run in another one. */
export const neverBegun = Symbol('never begun')

/** When the process is busy with another script, this one is queued behind it. */
export async function runJob(request: JobRequest): Promise<ScriptOutcome | typeof neverBegun> {
  return await new RunningJob(request).run()
}

class RunningJob {
  readonly #request: JobRequest
  readonly #number: number
  readonly #limits: ScriptLimits
  readonly #masker: LearningMasker
  readonly #log: ScriptLog
  readonly #calls: OpenCalls
  readonly #over = Promise.withResolvers<Verdict | typeof neverBegun>()
  readonly #stop = (): void => this.#kill({ kind: 'aborted', message: SCRIPT_STOPPED })
  readonly #endSleep = (): void => {
    const { stopSignal, leaveSignal } = this.#request.job
    if (!stopSignal?.aborted && !leaveSignal?.aborted) return
    if (this.#isOver || !this.#isWaiting || !this.#calls.isOnlySleeping) return
    if (stopSignal?.aborted) this.#kill({ kind: 'stopped', message: STOPPED_ASLEEP })
    else if (this.#calls.sleepsForMs >= LONG_SLEEP_MS) this.#stop()
  }
  #clock: ScriptClock | undefined
  #look: NodeJS.Timeout | undefined
  #looks = 0
  #killedFor: Failure | undefined
  #fault: { error: unknown } | undefined
  #answersSent = 0
  #answersSeen = -1
  #isWaiting = false
  #isLong = false
  #isOver = false

  constructor(request: JobRequest) {
    const { guest, job } = request
    this.#request = request
    this.#number = guest.nextJob()
    this.#limits = { ...defaultLimits, ...job.limits }
    this.#masker = createLearningMasker(job.secrets)
    this.#log = createScriptLog(this.#masker, this.#limits.logBytesMax)
    this.#calls = new OpenCalls({
      job,
      masker: this.#masker,
      sleepMsMax: this.#limits.pauseMsMax + 1000,
      answer: (message, ok, body) => this.#answer(message, ok, body),
      onChange: () => this.#update(),
      onFault: (error) => this.#fail(error),
    })
  }

  async run(): Promise<ScriptOutcome | typeof neverBegun> {
    const { guest, watcher } = this.#request
    guest.listen(this.#number, {
      begin: () => this.#begin(),
      message: (message) => this.#handle(message),
      exit: (exit) => this.#over.resolve(this.#killedFor ?? judgeExit(exit, this.#limits)),
      onReturned: () => this.#over.resolve(neverBegun),
    })
    this.#send()
    const verdict = await this.#over.promise
    this.#tidy()
    if (this.#isWaiting || this.#isLong) watcher.onComputing(true)
    if (this.#clock) watcher.onEnd()
    if (verdict === neverBegun) return neverBegun
    if (this.#fault) {
      this.#request.job.onCutOff?.(this.#log.lines)
      throw this.#fault.error
    }
    return { ...verdict, log: this.#log.lines, pauseMs: this.#clock?.pauseMs() ?? 0 }
  }

  #send(): void {
    const { guest, job, inputs, libraryKey } = this.#request
    if (guest.libraryKey !== libraryKey) {
      guest.libraryKey = libraryKey
      const functions = job.library.map(({ name, isAsync, arguments: names, script }) => {
        return { name, isAsync, arguments: names, script }
      })
      guest.send({ type: 'library', key: libraryKey, functions })
    }
    const { memoryBytes, resultBytesMax, logBytesMax, callBytesMax } = this.#limits
    guest.send({
      type: 'run',
      job: this.#number,
      accountId: job.accountId,
      script: job.script,
      inputs,
      realmKey: job.run?.key ?? '',
      keepsRealm: job.run?.isLast === false,
      libraryKey,
      limits: { memoryBytes, resultBytesMax, logBytesMax, callBytesMax },
    })
  }

  #begin(): void {
    const { job, watcher } = this.#request
    this.#clock = startScriptClock(this.#limits, (expiry) => this.#kill(this.#timedOut(expiry)))
    this.#look = setInterval(() => this.#lookAtProcess(), LOOK_MS)
    job.signal?.addEventListener('abort', this.#stop)
    job.stopSignal?.addEventListener('abort', this.#endSleep)
    job.leaveSignal?.addEventListener('abort', this.#endSleep)
    watcher.onBegin()
    if (job.signal?.aborted) this.#stop()
  }

  #lookAtProcess(): void {
    const { guest, watcher } = this.#request
    guest.recallQueuedJobs()
    if (!this.#isWaiting && !this.#isLong && ++this.#looks * LOOK_MS >= LONG_MS) {
      this.#isLong = true
      guest.lowerPriority()
      watcher.onLong()
      watcher.onComputing(false)
    }
    if ((guest.readResidentBytes() ?? 0) > this.#limits.residentBytesMax) this.#kill(outOfMemory(this.#limits))
  }

  #handle(message: FromGuest): void {
    if (message.type === 'ready' || message.job !== this.#number)
      throw new TypeError('A script process spoke about another job.')
    if (message.type === 'log') this.#log.add(message.lines, message.isCut)
    else if (message.type === 'call') this.#open(message)
    else if (message.type === 'idle') {
      this.#answersSeen = message.answers
      this.#update()
      if (this.#isWaiting) this.#calls.endNextSleep()
    } else if (this.#killedFor === undefined) this.#end(message.end)
  }

  #open(message: CallMessage): void {
    // What came before the process was gone is for nobody: the script was stopped.
    if (this.#killedFor !== undefined) return
    if (this.#calls.open(message)) this.#update()
    else this.#kill({ kind: 'crashed', message: 'The script process violated the sandbox protocol.' })
  }

  #answer(message: CallMessage, ok: boolean, body: string, onTaken?: () => void): void {
    if (this.#isOver) {
      onTaken?.()
      return
    }
    const { guest } = this.#request
    this.#calls.close(message)
    if (message.isSync) guest.answerSync(ok, body, onTaken)
    else {
      this.#answersSent++
      guest.send({ type: 'answer', job: this.#number, call: message.call, ok, body }, onTaken)
    }
    this.#update()
  }

  /** A script waits when it has seen every answer and has nothing to do until the next one. */
  #update(): void {
    if (this.#isOver) return
    const wasWaiting = this.#isWaiting
    this.#isWaiting = this.#calls.isSyncOpen || this.#answersSeen === this.#answersSent
    this.#clock?.setPaused(this.#isWaiting && this.#calls.isPausing)
    this.#endSleep()
    if (wasWaiting === this.#isWaiting) return
    if (this.#isWaiting) this.#request.guest.recallQueuedJobs()
    if (!this.#isLong) this.#request.watcher.onComputing(!this.#isWaiting)
  }

  #end(told: GuestEnd): void {
    const { accountId, script, fileName, secrets } = this.#request.job
    const taken = this.#masker.listTaken()
    if (isLargeEnd(told)) {
      this.#isOver = true
      judgeLarge(accountId, { end: told, limits: this.#limits, secrets, taken }).then(
        this.#over.resolve,
        (error: unknown) => {
          this.#fault ??= { error }
          this.#over.resolve({ kind: 'aborted', message: 'The service failed.' })
        },
      )
      return
    }
    let verdict: Verdict
    try {
      verdict = judgeEnd(told, { limits: this.#limits, masker: this.#masker, taken, script, fileName })
    } catch (error) {
      this.#fail(error)
      return
    }
    if (verdict.kind === 'crashed') this.#kill(verdict)
    else this.#over.resolve(verdict)
    // At once: what follows in the same breath is about the next script.
    this.#isOver = true
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#fault ??= { error }
    this.#kill({ kind: 'aborted', message: 'The service failed.' })
  }

  #kill(reason: Failure): void {
    this.#killedFor ??= reason
    this.#request.guest.kill()
  }

  #tidy(): void {
    this.#isOver = true
    clearInterval(this.#look)
    this.#clock?.stop()
    this.#calls.end()
    const { signal, stopSignal, leaveSignal } = this.#request.job
    signal?.removeEventListener('abort', this.#stop)
    stopSignal?.removeEventListener('abort', this.#endSleep)
    leaveSignal?.removeEventListener('abort', this.#endSleep)
  }

  #timedOut(expiry: Expiry): Failure {
    const { timeMs, pauseMsMax } = this.#limits
    return expiry === 'time'
      ? { kind: 'timedOut', message: `The script exceeded its time limit of ${timeMs} ms.`, limitMs: timeMs }
      : { kind: 'timedOut', message: `The script waited for more than ${pauseMsMax} ms in all.`, limitMs: pauseMsMax }
  }
}
