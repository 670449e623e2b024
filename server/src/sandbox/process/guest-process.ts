import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Duplex, Writable } from 'node:stream'
import type { Owner } from '../../lib/fair-queue.ts'
import { MESSAGE_BYTES_MAX } from '../limits.ts'
import {
  createLineReader,
  type FromGuest,
  type GuestEnd,
  type GuestReport,
  LIFELINE_DESCRIPTOR,
  MADE_ISOLATE,
  MAKING_ISOLATE,
  REPLY_DESCRIPTOR,
  type ToGuest,
} from '../protocol.ts'
import { composeCommand, hasProc, type Launch } from '../walls/launch.ts'
import { type GuestExit, GuestJobs, type GuestListener } from './guest-jobs.ts'
import { parseMessage } from './parse-message.ts'

/** Starting takes about a tenth of a second; on a machine that is overloaded it may take very much longer. */
const START_MS_MAX = 20_000
/** V8 adds a stack of its own. */
const STDERR_CHARACTERS_MAX = 16_384
const LIFELINE_LINE_BYTES_MAX = 20

/** Only the thread that has nothing to report can be asked to give a job back. */
const canRecall = hasProc()

/** After any other end the process is in an unknown state. */
const soundEnds: ReadonlySet<GuestEnd['kind']> = new Set([
  'returned',
  'threw',
  'invalid',
  'valid',
  'held',
  'notJson',
  'tooLarge',
  'stalled',
])

/**
 * One script process.
 *
 *     starting ── says that it is ready ──▶ ready ──▶ killed ──▶ gone
 *         └──────── START_MS_MAX ──────────────────────▲
 *
 * Whatever is unclear about it (a message that does not fit, a broken pipe, a deadline) ends in SIGKILL, after which nothing it did is
 * believed. Between `killed` and `gone` its last words arrive: lines of a log, and what V8 said.
 */
export class GuestProcess {
  readonly #child: ChildProcess
  /** Of the process that runs scripts, which may be a descendant of the child. */
  #pid: number | undefined
  readonly #input: Writable
  readonly #reply: Duplex
  readonly #lifeline: Duplex
  readonly #gone = Promise.withResolvers<GuestExit>()
  readonly #jobs = new GuestJobs(canRecall)
  #lastJob = 0
  #exit: GuestExit | undefined
  #stderr = ''
  #isKilled = false
  #wasKilledHere = false
  #reportedBytes: number | undefined
  report: GuestReport | undefined
  /** Libraries are sent once; this is the key of the one the process has. */
  libraryKey = ''
  /** Whose script was the last one: the isolate of that account is still warm. Undefined before the first. */
  owner: Owner | undefined
  runs = 0
  /** Told when the process ends although the service did not kill it. */
  onEndedByItself: ((exit: GuestExit) => void) | undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#pid = child.pid
    this.#input = child.stdin as Writable
    this.#reply = child.stdio[REPLY_DESCRIPTOR] as Duplex
    this.#lifeline = child.stdio[LIFELINE_DESCRIPTOR] as Duplex
    // `close` comes after the pipes are drained, so the last lines of a killed script's log are not lost.
    child.on('close', (code, signal) => this.#settle(code, signal))
    child.on('exit', () => {
      this.#isKilled = true
    })
    child.on('error', () => this.#settle(null, null))
    this.#input.on('error', () => this.kill())
    this.#readLines(this.#reply, MESSAGE_BYTES_MAX, (line) => this.#receive(parseMessage(line)))
    this.#readLines(this.#lifeline, LIFELINE_LINE_BYTES_MAX, (line) => {
      if (canRecall) this.#jobs.onRecalled(Number(line))
      else this.#reportedBytes = Number(line)
    })
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
    if (!isReady || guest.isGone) return undefined
    guest.#jobs.forget()
    guest.#pid = launch.hidesProcesses ? findInner(guest.#pid) : guest.#pid
    // Without its number its memory could not be watched.
    if (guest.#pid !== undefined) return guest
    await guest.end()
    return undefined
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
    return this.#jobs.isBusy
  }

  /** How many more jobs may be queued behind the one under way. */
  get freeSlots(): number {
    return this.isGone ? 0 : this.#jobs.freeSlots
  }

  /** The job under way takes its time: it gets no others behind it, and those that it has are taken back as far as they were not begun. */
  recallQueuedJobs(): void {
    if (this.isGone) return
    const last = this.#jobs.recall()
    if (last !== undefined) this.#lifeline.write(`${last}\n`)
  }

  /** For one job: until it is done, or the process is gone. While another job is under way, it is begun after that one. */
  listen(job: number, listener: GuestListener): void {
    this.#jobs.add(job, listener)
    if (this.#exit) this.#jobs.end(this.#exit)
  }

  /** `onTaken` is called when the message has left this process, or never will. */
  send(message: ToGuest, onTaken?: () => void): void {
    if (this.isGone) onTaken?.()
    else this.#input.write(`${JSON.stringify(message)}\n`, onTaken)
  }

  /** Answers the synchronous call under way; the script's thread is blocked until this arrives. */
  answerSync(ok: boolean, body: string, onTaken?: () => void): void {
    if (this.isGone) onTaken?.()
    else this.#reply.write(`${ok ? '1' : '0'}${body}\n`, onTaken)
  }

  /** Where the platform has no `/proc`, what the process said last. */
  readResidentBytes(): number | undefined {
    try {
      const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'latin1')) ?? []
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
    } catch {
      return this.#reportedBytes
    }
  }

  /** Leaves most of the processor to others, but not all: a script may need its time. There is no way back, so the process is used up. */
  lowerPriority(): void {
    this.runs = Number.POSITIVE_INFINITY
    try {
      setPriority(this.#pid as number, constants.priority.PRIORITY_BELOW_NORMAL)
    } catch {
      // Gone, or the platform does not have it.
    }
  }

  kill(): void {
    this.#isKilled = true
    this.#wasKilledHere ||= this.#exit === undefined && this.#child.exitCode === null && this.#child.signalCode === null
    this.#child.kill('SIGKILL')
  }

  async end(): Promise<void> {
    this.kill()
    await this.#gone.promise
  }

  #readLines(stream: Duplex, bytesMax: number, onLine: (line: string) => void): void {
    const read = createLineReader(bytesMax, onLine)
    stream.on('error', () => this.kill())
    stream.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        this.kill()
      }
    })
  }

  #settle(code: number | null, signal: string | null): void {
    if (this.#exit) return
    const wasMakingIsolate = this.#stderr.lastIndexOf(MAKING_ISOLATE) > this.#stderr.lastIndexOf(MADE_ISOLATE)
    const stderr = this.#stderr.replaceAll(MAKING_ISOLATE, '').replaceAll(MADE_ISOLATE, '').trim()
    this.#exit = { code, signal: signal ?? signalOf(code), stderr, wasMakingIsolate }
    this.#gone.resolve(this.#exit)
    if (!this.#wasKilledHere) this.onEndedByItself?.(this.#exit)
    this.#jobs.end(this.#exit)
  }

  #receive(message: FromGuest): void {
    if (message.type === 'ready' && this.report) throw new TypeError('A script process is ready once.')
    this.#jobs.deliver(message)
    if (message.type !== 'done') return
    if (!soundEnds.has(message.end.kind)) this.kill()
    // Nothing more is believed of a process that is being killed, so the others were never begun. All hear of it when it is gone.
    if (!this.isGone && this.#jobs.turn()) this.recallQueuedJobs()
  }
}

/** The shell in between tells the signal that ended its child as a code. */
function signalOf(code: number | null): string | null {
  const number = (code ?? 0) - 128
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null
}

/** `unshare` has the shell as its child, and the shell the script process. */
function findInner(pid: number | undefined): number | undefined {
  const childOf = (parent: number | undefined): number | undefined => {
    try {
      const [first] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1').split(' ')
      return Number(first) || undefined
    } catch {
      return undefined
    }
  }
  return childOf(childOf(pid))
}
