import { capabilityOf, parseCall, ScriptCallError } from './calls.ts'
import type { GuestProcess } from './guest-process.ts'
import type { CallContext, ScriptJob } from './job.ts'
import { type Failure, isTooDeep, judgeEnd, judgeExit, outOfMemory, type Verdict } from './judge-end.ts'
import { defaultLimits, type ScriptLimits } from './limits.ts'
import { createLearningMasker, type LearningMasker } from './mask.ts'
import type { ScriptOutcome } from './outcome.ts'
import { CALLS_AT_ONCE, type FromGuest, type GuestEnd, type Json, SLEEPS_AT_ONCE } from './protocol.ts'
import { type ScriptClock, startScriptClock } from './script-clock.ts'
import { createScriptLog } from './script-log.ts'

/** How often a script that computes is looked at. After the first time the scripts behind it go elsewhere. */
const LOOK_MS = 50
/** A script that computes longer than this leaves its place among those that compute: else a few of them would keep everybody waiting. */
const LONG_MS = 1000

export const SCRIPT_STOPPED = 'The script was stopped.'

/** Made once: an error of its own for every script that ends would cost more than most scripts. */
const scriptIsOver = new Error('The script is over.')

type CallMessage = FromGuest & { type: 'call' }

export type JobWatcher = {
  onBegin(): void
  /** After it was begun, however it ended. */
  onEnd(): void
  /** The script needs its place among those that compute no more, because it waits for an answer or takes long; or it needs one again. */
  onPlace(needsPlace: boolean): void
  /** The script computes for so long that others go first. */
  onLong(): void
}

/** The process never turned to the script: it may run in another one. */
export const neverBegun = Symbol('never begun')

/**
 * Runs one script in a process that runs no other at that time; when it is busy with one, the script is sent ahead and begins after it. The
 * process is gone afterwards unless the script ended by itself.
 */
export async function runJob(
  guest: GuestProcess,
  job: ScriptJob,
  inputs: string,
  libraryKey: string,
  watcher: JobWatcher,
): Promise<ScriptOutcome | typeof neverBegun> {
  const number = guest.nextJob()
  const limits: ScriptLimits = { ...defaultLimits, ...job.limits }
  const masker = createLearningMasker(job.secrets)
  const log = createScriptLog(masker, limits.logBytesMax)
  const over = Promise.withResolvers<Verdict | typeof neverBegun>()
  const abort = new AbortController()
  let killedFor: Failure | undefined
  let fault: { error: unknown } | undefined
  const open = { calls: 0, sleeps: 0, paused: 0, sync: false }
  const timers = new Set<NodeJS.Timeout>()
  let answersSent = 0
  let answersSeen = -1
  let isWaiting = false
  let isLong = false
  let looks = 0
  let isOver = false

  const kill = (reason: Failure): void => {
    killedFor ??= reason
    guest.kill()
  }
  let clock: ScriptClock | undefined
  const startClock = () =>
    startScriptClock(limits, (expiry) =>
      kill({
        kind: 'timedOut',
        message:
          expiry === 'time'
            ? `The script ran longer than its ${limits.timeMs} ms.`
            : `The script paused longer than ${limits.pauseMsMax} ms.`,
        limitMs: expiry === 'time' ? limits.timeMs : limits.pauseMsMax,
      }),
    )
  const update = (): void => {
    const wasWaiting = isWaiting
    isWaiting = open.sync || answersSeen === answersSent
    clock?.setPaused(isWaiting && open.sleeps + open.paused > 0)
    if (wasWaiting === isWaiting) return
    if (isWaiting) guest.giveWay()
    if (!isLong) watcher.onPlace(!isWaiting)
  }
  const answer = (message: CallMessage, ok: boolean, body: string): void => {
    if (isOver) return
    if (message.isSync) {
      open.sync = false
      guest.answerSync(ok, body)
    } else {
      answersSent++
      guest.send({ type: 'answer', job: number, call: message.call, ok, body })
    }
    update()
  }
  const sleep = (message: CallMessage): void => {
    const [ms] = message.args
    const wait = Math.min(typeof ms === 'number' ? ms : 0, limits.pauseMsMax + 1000, 2 ** 31 - 1)
    open.sleeps++
    job.onSleep?.(wait)
    const timer = setTimeout(() => {
      timers.delete(timer)
      open.sleeps--
      answer(message, true, 'null')
    }, wait)
    timers.add(timer)
  }
  const context: CallContext = {
    signal: abort.signal,
    pause: async (work) => {
      open.paused++
      update()
      try {
        return await work()
      } finally {
        open.paused--
        if (!isOver) update()
      }
    },
  }
  const perform = async (message: CallMessage): Promise<void> => {
    open.calls++
    try {
      const value = await performCall(job, message, context, masker)
      open.calls--
      answer(message, true, JSON.stringify(value ?? null))
    } catch (error) {
      open.calls--
      if (error instanceof ScriptCallError)
        answer(message, false, JSON.stringify({ message: error.message, details: error.details }))
      else if (!isOver) {
        fault ??= { error }
        kill({ kind: 'aborted', message: 'The service failed.' })
      }
    }
  }
  const handleCall = (message: CallMessage): void => {
    // What came before the process was gone is for nobody: the script was stopped.
    if (killedFor !== undefined) return
    const isSleep = message.name === 'sleep' && !message.isSync
    const isOneTooMany = message.isSync
      ? open.sync
      : isSleep
        ? open.sleeps >= SLEEPS_AT_ONCE
        : open.calls > CALLS_AT_ONCE
    if (isOneTooMany) {
      kill({ kind: 'crashed', message: 'The process of the script broke the rules of its channel.' })
      return
    }
    if (message.isSync) open.sync = true
    if (isSleep) sleep(message)
    else void perform(message)
    update()
  }
  const handle = (message: FromGuest): void => {
    if (message.type === 'ready' || message.job !== number)
      throw new TypeError('A script process spoke about another job.')
    if (message.type === 'log') log.add(message.lines, message.isCut)
    else if (message.type === 'call') handleCall(message)
    else if (message.type === 'idle') {
      answersSeen = message.answers
      update()
    } else if (killedFor === undefined) end(message.end)
  }
  const end = (told: GuestEnd): void => {
    const verdict = judgeEnd(told, { limits, masker, script: job.script, fileName: job.fileName })
    if (verdict.kind === 'crashed') kill(verdict)
    else over.resolve(verdict)
    // At once: what follows in the same breath is about the next script.
    isOver = true
  }

  let look: NodeJS.Timeout | undefined
  const stop = (): void => kill({ kind: 'aborted', message: SCRIPT_STOPPED })
  guest.listen(number, {
    begin: () => {
      clock = startClock()
      look = setInterval(() => {
        guest.giveWay()
        if (!isWaiting && !isLong && ++looks * LOOK_MS >= LONG_MS) {
          isLong = true
          guest.stepBack()
          watcher.onLong()
          watcher.onPlace(false)
        }
        if ((guest.readResidentBytes() ?? 0) > limits.residentBytesMax) kill(outOfMemory(limits))
      }, LOOK_MS)
      job.signal?.addEventListener('abort', stop)
      watcher.onBegin()
      if (job.signal?.aborted) stop()
    },
    message: handle,
    exit: (exit) => over.resolve(killedFor ?? judgeExit(exit, limits)),
    leave: () => over.resolve(neverBegun),
  })
  if (guest.libraryKey !== libraryKey) {
    guest.libraryKey = libraryKey
    guest.send({
      type: 'library',
      key: libraryKey,
      functions: job.library.map(({ name, isAsync, arguments: names, script }) => ({
        name,
        isAsync,
        arguments: names,
        script,
      })),
    })
  }
  const { memoryBytes, resultBytesMax, logBytesMax, callBytesMax } = limits
  guest.send({
    type: 'run',
    job: number,
    accountId: job.accountId,
    script: job.script,
    inputs,
    realmKey: job.run?.key ?? '',
    keepsRealm: job.run?.isLast === false,
    libraryKey,
    limits: { memoryBytes, resultBytesMax, logBytesMax, callBytesMax },
  })

  const verdict = await over.promise
  clearInterval(look)
  clock?.stop()
  for (const timer of timers) clearTimeout(timer)
  job.signal?.removeEventListener('abort', stop)
  isOver = true
  // Whatever a call still does is for nobody.
  if (open.calls > 0) abort.abort(scriptIsOver)
  if (isWaiting || isLong) watcher.onPlace(true)
  if (clock) watcher.onEnd()
  if (verdict === neverBegun) return neverBegun
  if (fault) throw fault.error
  return { ...verdict, log: log.lines, pauseMs: clock?.pauseMs() ?? 0 }
}

async function performCall(
  job: ScriptJob,
  message: CallMessage,
  context: CallContext,
  masker: LearningMasker,
): Promise<Json> {
  if (isTooDeep(message.args)) throw new ScriptCallError(`${message.name} was given a value that is nested too deeply.`)
  const call = parseCall(message.name, message.args)
  const capability = capabilityOf(call)
  if (!job.capabilities[capability])
    throw new ScriptCallError(`This script may not use ${capability === 'vault' ? 'myVault' : capability}.`)
  if (call.kind === 'vault.set') masker.conceal(call.value)
  const value = await job.onCall(call, context)
  if (call.kind === 'vault.get') masker.conceal(value)
  return value
}
