import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex, Writable } from 'node:stream'
import { composeCommand, type Launch } from './launch.ts'
import { MESSAGE_BYTES_MAX } from './limits.ts'
import { parseMessage } from './parse-message.ts'
import {
  createLineReader,
  type FromGuest,
  type GuestReport,
  LIFELINE_DESCRIPTOR,
  REPLY_DESCRIPTOR,
  type ToGuest,
} from './protocol.ts'

/** Starting takes about a tenth of a second; on a machine that is overloaded it may take very much longer. */
const START_MS_MAX = 20_000
const STDERR_CHARACTERS_MAX = 4096

/** How a process ended. `stderr` is what V8 said last, if anything. */
export type GuestExit = { code: number | null; signal: string | null; stderr: string }

export type GuestListener = { message(message: FromGuest): void; exit(exit: GuestExit): void }

/**
 * One script process. States: starting → ready → gone. Whatever is unclear about it (a message that does not fit, a broken
 * pipe, a deadline) ends in SIGKILL, after which nothing it did is believed.
 */
export class GuestProcess {
  readonly #child: ChildProcess
  readonly #input: Writable
  readonly #reply: Duplex
  readonly #gone: Promise<GuestExit>
  #listener: GuestListener | undefined
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
      this.#listener?.exit(this.#exit)
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
    lifeline.on('data', (chunk: Buffer) => {
      this.#reportedBytes = Number(/(\d{1,15})\n$/.exec(chunk.toString('latin1'))?.[1] ?? this.#reportedBytes)
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
    guest.listen({
      message: (message) => {
        if (message.type !== 'ready') return
        guest.report = message.report
        ready.resolve(true)
      },
      exit: () => ready.resolve(false),
    })
    const isReady = await ready.promise
    clearTimeout(timer)
    guest.listen(undefined)
    return isReady && !guest.isGone ? guest : undefined
  }

  /** True from the moment of a kill or of its own end on, although its last words may still be on their way. */
  get isGone(): boolean {
    return this.#isKilled || this.#exit !== undefined
  }

  listen(listener: GuestListener | undefined): void {
    this.#listener = listener
    if (listener && this.#exit) listener.exit(this.#exit)
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
    this.#listener?.message(message)
  }
}
