import { isDeeperThan, type Json } from '../../lib/json.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import { RESULT_DEPTH_MAX } from '../limits.ts'
import type { LearningMasker } from '../mask/mask.ts'
import { CALLS_AT_ONCE, type FromGuest, SLEEPS_AT_ONCE } from '../protocol.ts'
import { capabilityOf, parseCall, ScriptCallError } from './calls.ts'
import type { CallContext, ScriptJob } from './job.ts'

/**
 * The calls of one script that wait for an answer.
 *
 *     asked ──▶ open ── value, or refusal the script may catch ──▶ answered
 *                └── fault of the service ──▶ the script is killed, and its run rejects
 *
 * A sleep is a call that a timer answers. Where the script has a clock of its own nothing waits: the sleep that is due first ends as soon as
 * the script has nothing else to do.
 */

export type CallMessage = FromGuest & { type: 'call' }

export type OpenCallsOwner = {
  job: ScriptJob
  masker: LearningMasker
  /** The longest that a sleep can matter: the script is stopped before it ends. */
  sleepMsMax: number
  /** `onTaken` is called when the answer has left this process, or never will. */
  answer(message: CallMessage, ok: boolean, body: string, onTaken?: () => void): void
  /** What is open has changed in a way that may start or end a pause. */
  onChange(): void
  onFault(error: unknown): void
}

/** Made once: an error of its own for every script that ends would cost more than most scripts. */
const scriptIsOver = new Error('The script is over.')

export class OpenCalls {
  readonly #owner: OpenCallsOwner
  readonly #abort = new AbortController()
  /** Each with the time at which it ends. */
  readonly #timers = new Map<NodeJS.Timeout, number>()
  readonly #pauseFor = <T>(work: () => Promise<T>) => this.#pause(work)
  #asleep: { message: CallMessage; dueMs: number }[] = []
  #clockMs = 0
  #calls = 0
  #sleeps = 0
  #paused = 0
  #isSyncOpen = false

  constructor(owner: OpenCallsOwner) {
    this.#owner = owner
  }

  /** The script's thread is blocked until a synchronous call is answered. */
  get isSyncOpen(): boolean {
    return this.#isSyncOpen
  }

  /** The wait does not count as run time, as far as the script itself has nothing to do. */
  get isPausing(): boolean {
    return this.#sleeps + this.#paused > 0
  }

  /** Nothing is under way that a stop would cut off. */
  get isOnlySleeping(): boolean {
    return this.#sleeps > 0 && this.#calls === 0
  }

  /** Until the first of its sleeps ends. */
  get sleepsForMs(): number {
    return Math.min(...this.#timers.values()) - performance.now()
  }

  /** False when the script process has more calls open than it may: it does not keep to the protocol. */
  open(message: CallMessage): boolean {
    const isSleep = message.name === 'sleep' && !message.isSync
    if (this.#isFull(message, isSleep)) return false
    if (message.isSync) this.#isSyncOpen = true
    if (isSleep) this.#sleep(message)
    else void this.#perform(message)
    return true
  }

  close(message: CallMessage): void {
    if (message.isSync) this.#isSyncOpen = false
  }

  /** Whatever a call still does is for nobody. */
  end(): void {
    for (const timer of this.#timers.keys()) clearTimeout(timer)
    if (this.#calls > 0) this.#abort.abort(scriptIsOver)
  }

  /** For a script with a clock of its own that has nothing to do. */
  endNextSleep(): void {
    if (this.#asleep.length === 0 || this.#calls > 0) return
    const next = this.#asleep.reduce((first, one) => (one.dueMs < first.dueMs ? one : first))
    this.#asleep = this.#asleep.filter((one) => one !== next)
    this.#clockMs = Math.max(this.#clockMs, next.dueMs)
    this.#sleeps--
    this.#owner.answer(next.message, true, 'null')
  }

  #isFull(message: CallMessage, isSleep: boolean): boolean {
    if (message.isSync) return this.#isSyncOpen
    return isSleep ? this.#sleeps >= SLEEPS_AT_ONCE : this.#calls > CALLS_AT_ONCE
  }

  #sleep(message: CallMessage): void {
    const [ms] = message.args
    const wait = Math.min(typeof ms === 'number' ? ms : 0, this.#owner.sleepMsMax, 2 ** 31 - 1)
    this.#sleeps++
    if (this.#owner.job.inputs.clockMs !== undefined) {
      this.#asleep.push({ message, dueMs: this.#clockMs + wait })
      return
    }
    this.#owner.job.onSleep?.(wait)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#sleeps--
      this.#owner.answer(message, true, 'null')
    }, wait)
    this.#timers.set(timer, performance.now() + wait)
  }

  async #perform(message: CallMessage): Promise<void> {
    this.#calls++
    let release: (() => void) | undefined
    const onHeld = (next: () => void) => {
      release = release === undefined ? next : inTurn(release, next)
    }
    try {
      const value = await this.#ask(message, { signal: this.#abort.signal, pause: this.#pauseFor, onHeld })
      this.#calls--
      this.#owner.answer(message, true, textOf(value ?? null), release)
    } catch (error) {
      this.#calls--
      release?.()
      if (error instanceof ScriptCallError)
        this.#owner.answer(message, false, JSON.stringify({ message: error.message, details: error.details }))
      else this.#owner.onFault(error)
    }
  }

  async #ask({ name, args, problem }: CallMessage, context: CallContext): Promise<Json | JsonText> {
    const { job, masker } = this.#owner
    if (problem !== undefined) throw new ScriptCallError(`${name} was given ${problem}.`)
    if (isDeeperThan(RESULT_DEPTH_MAX, args))
      throw new ScriptCallError(`${name} was given a value that is nested too deeply.`)
    const call = parseCall(name, args)
    const capability = capabilityOf(call)
    if (!job.capabilities[capability]) throw new ScriptCallError(`This script may not use ${namesOf[capability]}.`)
    if (call.kind === 'vault.set') masker.conceal(call.value)
    const value = await job.onCall(call, context)
    if (call.kind === 'vault.get' && !(value instanceof JsonText)) masker.concealTaken(value)
    return value
  }

  async #pause<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    this.#owner.onChange()
    try {
      return await work()
    } finally {
      this.#paused--
      this.#owner.onChange()
    }
  }
}

/** What scripts call them. */
const namesOf = { api: 'api', vault: 'myVault', email: 'email', answer: 'fx.respond', events: 'events' }

function inTurn(first: () => void, second: () => void): () => void {
  return () => {
    first()
    second()
  }
}
