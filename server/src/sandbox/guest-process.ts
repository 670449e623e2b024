import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Duplex, Writable } from 'node:stream'
import { composeCommand, hasProc, type Launch } from './launch.ts'
import { MESSAGE_BYTES_MAX } from './limits.ts'
import { parseMessage } from './parse-message.ts'
import {
  createLineReader,
  type FromGuest,
  type GuestEnd,
  type GuestReport,
  LIFELINE_DESCRIPTOR,
  REPLY_DESCRIPTOR,
  type ToGuest,
} from './protocol.ts'

/** Starting takes about a tenth of a second; on a machine that is overloaded it may take very much longer. */
const START_MS_MAX = 20_000
const STDERR_CHARACTERS_MAX = 4096
const LIFELINE_LINE_BYTES_MAX = 20
/** Sent ahead at most: enough to be busy while the service looks at other things. */
const AHEAD_MAX = 7
/** What is sent ahead should take no longer than this, going by the scripts before it: others may want the process. */
const AHEAD_MS = 25
/** How much the last script says about the next one, against all before it. */
const PACE_WEIGHT = 0.2

/** How a process ended. `stderr` is what V8 said last, if anything. */
export type GuestExit = { code: number | null; signal: string | null; stderr: string }

export type GuestListener = {
  /** The process turns to this job now. */
  begin?(): void
  message(message: FromGuest): void
  exit(exit: GuestExit): void
  /** The process never turned to this job, and never will. */
  leave?(): void
}

type Listening = GuestListener & { job: number; hasSpoken: boolean }

/** Only the thread that has nothing to report can be asked to give a job back. */
const canAskBack = hasProc()

/** After any other end the process is in an unknown state. */
const soundEnds: ReadonlySet<GuestEnd['kind']> = new Set([
  'returned',
  'threw',
  'invalid',
  'valid',
  'notJson',
  'tooLarge',
  'stalled',
])

/**
 * One script process. States: starting → ready → gone. Whatever is unclear about it (a message that does not fit, a broken
 * pipe, a deadline) ends in SIGKILL, after which nothing it did is believed.
 */
export class GuestProcess {
  readonly #child: ChildProcess
  readonly #input: Writable
  readonly #reply: Duplex
  readonly #lifeline: Duplex
  readonly #gone: Promise<GuestExit>
  /** Of the job under way and of those sent ahead, in the order in which they will be begun. */
  #listeners: Listening[] = []
  #mayGetAhead = true
  /** How long a script takes here, waits for answers included. At first it counts as too long. */
  #paceMs = 2 * AHEAD_MS
  #begunAt = 0
  /** The last of the jobs that were asked back, until the process has told which of them it had begun. */
  #askedBack: number | undefined
  #lastJob = 0
  #exit: GuestExit | undefined
  #stderr = ''
  #isKilled = false
  #reportedBytes: number | undefined
  report: GuestReport | undefined
  /** Libraries are sent once; this is the key of the one the process has. */
  libraryKey = ''
  /** Account of the last script, whose isolate is still warm. */
  accountId = ''
  runs = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#input = child.stdin as Writable
    this.#reply = child.stdio[REPLY_DESCRIPTOR] as Duplex
    const gone = Promise.withResolvers<GuestExit>()
    this.#gone = gone.promise
    const settle = (code: number | null, signal: string | null): void => {
      if (this.#exit) return
      this.#exit = { code, signal, stderr: this.#stderr }
      gone.resolve(this.#exit)
      const [listener, ...ahead] = this.#listeners
      this.#listeners = []
      listener?.exit(this.#exit)
      for (const { leave } of ahead.reverse()) leave?.()
    }
    // `close` comes after the pipes are drained, so the last lines of a killed script's log are not lost.
    child.on('close', settle)
    child.on('exit', () => {
      this.#isKilled = true
    })
    child.on('error', () => settle(null, null))
    this.#input.on('error', () => this.kill())
    this.#reply.on('error', () => this.kill())
    const read = createLineReader(MESSAGE_BYTES_MAX, (line) => this.#receive(parseMessage(line)))
    this.#reply.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        this.kill()
      }
    })
    const lifeline = child.stdio[LIFELINE_DESCRIPTOR] as Duplex
    lifeline.on('error', () => this.kill())
    const readLifeline = createLineReader(LIFELINE_LINE_BYTES_MAX, (line) => {
      if (canAskBack) this.#leaveAfter(Number(line))
      else this.#reportedBytes = Number(line)
    })
    lifeline.on('data', (chunk: Buffer) => {
      try {
        readLifeline(chunk)
      } catch {
        this.kill()
      }
    })
    this.#lifeline = lifeline
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('latin1')).slice(-STDERR_CHARACTERS_MAX)
    })
  }

  /** Undefined when the process cannot be started this way. */
  static async start(launch: Launch, directory: string): Promise<GuestProcess | undefined> {
    const { file, args } = composeCommand(launch)
    const child = spawn(file, args, {
      cwd: directory,
      env: {},
      stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const guest = new GuestProcess(child)
    const ready = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => guest.kill(), START_MS_MAX)
    guest.listen(0, {
      message: (message) => {
        if (message.type !== 'ready') return
        guest.report = message.report
        ready.resolve(true)
      },
      exit: () => ready.resolve(false),
    })
    const isReady = await ready.promise
    clearTimeout(timer)
    guest.#listeners = []
    return isReady && !guest.isGone ? guest : undefined
  }

  /** True from the moment of a kill or of its own end on, although its last words may still be on their way. */
  get isGone(): boolean {
    return this.#isKilled || this.#exit !== undefined
  }

  /** Numbers rise in the order in which jobs are sent. */
  nextJob(): number {
    return ++this.#lastJob
  }

  get isBusy(): boolean {
    return this.#listeners.length > 0
  }

  /** How many more jobs it may be sent: none when it does not compute, or for long, or when it is unclear which jobs it has. */
  get room(): number {
    if (!this.#mayGetAhead || this.#askedBack !== undefined || !this.isBusy || this.isGone) return 0
    return this.#aheadMax() - this.#listeners.length + 1
  }

  #aheadMax(): number {
    return Math.min(AHEAD_MAX, Math.floor(AHEAD_MS / this.#paceMs))
  }

  /** The job under way takes its time: it gets no others behind it, and those that it has are taken back as far as they were not begun. */
  giveWay(): void {
    this.#mayGetAhead = false
    if (this.#listeners.length < 2 || this.#askedBack !== undefined || this.isGone) return
    this.#askedBack = this.#listeners.at(-1)?.job
    this.#lifeline.write(`${this.#askedBack}\n`)
  }

  /** For one job: until it is done, or the process is gone. While another job is under way, it is begun after that one. */
  listen(job: number, listener: GuestListener): void {
    this.#listeners.push({ ...listener, job, hasSpoken: false })
    if (this.#listeners.length === 1) this.#beginFirst()
    if (!this.#exit) return
    this.#listeners = []
    listener.exit(this.#exit)
  }

  send(message: ToGuest): void {
    if (!this.isGone) this.#input.write(`${JSON.stringify(message)}\n`)
  }

  /** Answers the synchronous call under way; the script's thread is blocked until this arrives. */
  answerSync(ok: boolean, body: string): void {
    if (!this.isGone) this.#reply.write(`${ok ? '1' : '0'}${body}\n`)
  }

  /** Where the platform has no `/proc`, what the process said last. */
  readResidentBytes(): number | undefined {
    try {
      const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'latin1')) ?? []
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
    } catch {
      return this.#reportedBytes
    }
  }

  /** Leaves most of the processor to others, but not all: a script may need its time. There is no way back, so the process is used up. */
  stepBack(): void {
    this.runs = Number.POSITIVE_INFINITY
    try {
      setPriority(this.#child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL)
    } catch {
      // Gone, or the platform does not have it.
    }
  }

  kill(): void {
    this.#isKilled = true
    this.#child.kill('SIGKILL')
  }

  async end(): Promise<void> {
    this.kill()
    await this.#gone
  }

  #receive(message: FromGuest): void {
    if (message.type === 'ready' && this.report) throw new TypeError('A script process is ready once.')
    const listening = this.#listeners[0]
    if (listening) listening.hasSpoken = true
    listening?.message(message)
    if (message.type === 'done') this.#turn(message.end)
  }

  /** The process went on to the job that was sent ahead without being told. */
  #turn(end: GuestEnd): void {
    if (!soundEnds.has(end.kind)) this.kill()
    // Nothing more is believed of a process that is being killed, so the others were never begun. All hear of it when it is gone.
    if (this.isGone) return
    this.#listeners.shift()
    this.#paceMs += PACE_WEIGHT * (performance.now() - this.#begunAt - this.#paceMs)
    this.#beginFirst()
  }

  #beginFirst(): void {
    this.#mayGetAhead = canAskBack
    this.#begunAt = performance.now()
    this.#listeners[0]?.begin?.()
    if (this.#listeners.length - 1 > this.#aheadMax()) this.giveWay()
  }

  /**
   * The process will begin none of the jobs that it was asked back and that come after `lastBegun`. Its word may come after the end of the job
   * before, which made us think that it had.
   */
  #leaveAfter(lastBegun: number): void {
    const last = this.#askedBack
    if (last === undefined) throw new TypeError('A script process gave back jobs that it was not asked for.')
    this.#askedBack = undefined
    const left = this.#listeners.filter(({ job }) => job > lastBegun && job <= last)
    if (left.some(({ hasSpoken }) => hasSpoken))
      throw new TypeError('A script process gave back a job that it had begun.')
    this.#listeners = this.#listeners.filter((listening) => !left.includes(listening))
    for (const { leave } of left.reverse()) leave?.()
  }
}
