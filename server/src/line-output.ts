// Standard output and standard error as the service writes them. No line is worth the service: when the output does not take lines, because its disk is
// full, its reader has left or stalls, they are dropped and counted, and one line says so as soon as the output takes lines again.
//
//   written ─(a write fails, or too much waits)─► dropping ─(a write succeeds)─► written, with one notice
import { write, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export type Dropped = { lines: number; reason: string }

type Options = {
  fd: number
  /** The line that is written once lines can be written again. */
  toNotice(dropped: Dropped): string
}

type Failure = NodeJS.ErrnoException

/** One write carries as many lines as fit, so that a busy log costs few of them. */
const batchBytesMax = 64 * 1024
/** What may wait for a slow output, in characters. */
const waitingMax = 4 * 1024 * 1024
/** A pipe that is full for the moment. */
const busyMs = 50
/** How soon after a failure the output is tried again although there is nothing to write but the notice. */
const retryMs = 2000
/** A stop waits no longer for an output that does not take its last lines. */
const closeMsMax = 1000

export class LineOutput {
  readonly #fd: number
  readonly #toNotice: Options['toNotice']
  #waiting: string[] = []
  #waitingLength = 0
  #writing: Promise<void> | undefined
  #untold: Dropped = { lines: 0, reason: '' }
  #droppedLines = 0
  /** A line of which only a part was written. What follows begins on a line of its own. */
  #isCut = false
  #retry: NodeJS.Timeout | undefined
  /** The notice must not wait for the next line, which may be hours away. */
  #isNoticeWanted = false

  constructor({ fd, toNotice }: Options) {
    this.#fd = fd
    this.#toNotice = toNotice
    // For an end that nobody waited for.
    process.on('exit', () => this.#flush())
  }

  /** Lines that were dropped since the process began. */
  get droppedLines(): number {
    return this.#droppedLines
  }

  /** `line` ends with a line break and may have others in it. */
  write(line: string): void {
    if (this.#waitingLength + line.length > waitingMax) {
      this.#drop(1, 'the output is too slow')
      return
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    this.#start()
  }

  /** Resolves when everything is written or dropped. */
  async close(): Promise<void> {
    const deadline = performance.now() + closeMsMax
    while (this.#writing && performance.now() < deadline) {
      await Promise.race([this.#writing, wait(busyMs)])
    }
    this.#flush()
  }

  #start(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      if (this.#waiting.length > 0 || this.#isNoticeWanted) this.#start()
    })
  }

  async #writeAll(): Promise<void> {
    // Lines that are written in the same turn travel together.
    await undefined
    while (this.#waiting.length > 0 || this.#isNoticeWanted) {
      const batch = this.#takeBatch()
      let writtenBytes = 0
      while (writtenBytes < batch.bytes.length) {
        const outcome = await writeSome(this.#fd, batch.bytes.subarray(writtenBytes))
        if (typeof outcome === 'number') writtenBytes += outcome
        else if (isBusy(outcome)) await wait(busyMs, undefined, { ref: false })
        else {
          this.#note(batch, writtenBytes, outcome)
          break
        }
      }
      if (writtenBytes === batch.bytes.length) this.#note(batch, writtenBytes)
    }
  }

  /** Without waiting for anything, as the last act of a process. */
  #flush(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const deadline = performance.now() + closeMsMax
    while (this.#waiting.length > 0 || this.#untold.lines > 0) {
      const batch = this.#takeBatch()
      let writtenBytes = 0
      while (writtenBytes < batch.bytes.length) {
        try {
          writtenBytes += writeSync(this.#fd, batch.bytes, writtenBytes)
        } catch (error) {
          if (isBusy(error as Failure) && performance.now() < deadline) pause(busyMs)
          else {
            this.#note(batch, writtenBytes, error as Failure)
            clearTimeout(this.#retry)
            return
          }
        }
      }
      this.#note(batch, writtenBytes)
    }
  }

  /** The notice, where one is due, goes ahead of the lines. */
  #takeBatch(): Batch {
    this.#isNoticeWanted = false
    const told = this.#untold.lines
    const head = `${this.#isCut ? '\n' : ''}${told > 0 ? this.#toNotice({ ...this.#untold }) : ''}`
    this.#untold.lines = 0
    let length = 0
    let count = 0
    while (count < this.#waiting.length && (count === 0 || length < batchBytesMax)) {
      length += this.#waiting[count]?.length ?? 0
      count++
    }
    const lines = this.#waiting.splice(0, count)
    this.#waitingLength -= length
    const headEnd = Buffer.byteLength(head)
    let end = headEnd
    const ends = lines.map((line) => {
      end += Buffer.byteLength(line)
      return end
    })
    return { bytes: Buffer.from(head + lines.join('')), headEnd, ends, told }
  }

  #note(batch: Batch, writtenBytes: number, failure?: Failure): void {
    if (writtenBytes > 0) this.#isCut = batch.bytes[writtenBytes - 1] !== 0x0a
    if (failure === undefined) return
    if (writtenBytes < batch.headEnd) this.#untold.lines += batch.told
    this.#drop(batch.ends.filter((end) => end > writtenBytes).length, failure.message)
  }

  #drop(lines: number, reason: string): void {
    this.#droppedLines += lines
    this.#untold.lines += lines
    this.#untold.reason = reason
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      if (this.#untold.lines === 0) return
      this.#isNoticeWanted = true
      this.#start()
    }, retryMs).unref()
  }
}

/** `headEnd`, `ends`: where the notice and each line end in the bytes. `told`: how many dropped lines the notice speaks of. */
type Batch = { bytes: Buffer; headEnd: number; ends: number[]; told: number }

/** The count of bytes that were written, or why none were. */
function writeSome(fd: number, bytes: Buffer): Promise<number | Failure> {
  return new Promise((done) => write(fd, bytes, (error, count) => done(error ?? count)))
}

function isBusy(error: Failure): boolean {
  return error.code === 'EAGAIN' || error.code === 'EBUSY'
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
