// One reader: what it is sent, and what happens when it does not read.
import type { ServerResponse } from 'node:http'
import type { Reach } from '../access/index.ts'
import type { Exchange } from '../http/index.ts'
import type { StoredEvent } from './store.ts'

/** Bytes that wait for a reader beyond what its connection takes; a reader with more is too slow. */
const unreadBytesMax = 1024 * 1024

export type StreamRights = {
  /** The same for all streams of one credential that act for the same account. */
  key: string
  /** Rejects when the caller may no longer do what it did when the stream was opened. */
  check(): Promise<Reach>
}

export class OpenStream {
  readonly reach: Reach
  readonly rights: StreamRights
  /** Of all workflows when undefined. */
  readonly workflowId: string | undefined
  readonly #response: ServerResponse
  readonly #onClose: Exchange['onClose']
  readonly #countUnread: (bytes: number) => void
  /** Earlier events are not for this reader. */
  readonly #since: number
  #isClosed = false

  constructor(options: {
    response: ServerResponse
    exchange: Pick<Exchange, 'onClose' | 'countUnread'>
    reach: Reach
    rights: StreamRights
    workflowId: string | undefined
    isResumed: boolean
  }) {
    this.#response = options.response
    this.#onClose = (callback) => options.exchange.onClose(callback)
    this.#countUnread = options.exchange.countUnread()
    this.#onClose(() => {
      this.#isClosed = true
    })
    this.reach = options.reach
    this.rights = options.rights
    this.workflowId = options.workflowId
    this.#since = options.isResumed ? 0 : Date.now()
  }

  get isOver(): boolean {
    return this.#isClosed || this.#response.destroyed || this.#response.writableEnded
  }

  begin(): void {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Proxies that gather answers would hold events back.
      'X-Accel-Buffering': 'no',
    })
    this.#response.socket?.setNoDelay(true)
    this.#response.on('drain', () => this.#countUnread(this.#response.writableLength))
    this.#response.write('retry: 2000\n\n')
  }

  /** At once, if the reader has left. */
  onClose(callback: () => void): void {
    this.#onClose(callback)
  }

  wants(event: StoredEvent): boolean {
    if (this.workflowId !== undefined && event.workflowId !== this.workflowId) return false
    return event.happenedAt >= this.#since
  }

  /** A reader that does not keep up is cut off: it comes back with the last id it has seen. */
  send(frames: Buffer): void {
    if (this.isOver || frames.length === 0) return
    if (this.#response.writableLength + frames.length > unreadBytesMax) return void this.cut()
    this.#response.write(frames)
    this.#countUnread(this.#response.writableLength)
  }

  /** Resolves once the reader has taken what was sent; cuts it off when that takes too long. */
  async drained(msMax: number): Promise<void> {
    if (this.isOver || !this.#response.writableNeedDrain) return
    const timer = setTimeout(() => this.cut(), msMax)
    await new Promise<void>((done) => {
      this.#response.once('drain', done)
      this.#onClose(done)
    })
    clearTimeout(timer)
  }

  end(): void {
    if (!this.isOver) this.#response.end()
  }

  cut(): void {
    this.#response.destroy()
  }
}

export function framesOf(events: readonly StoredEvent[]): Buffer {
  return Buffer.from(events.map(({ id, type, data }) => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`).join(''))
}
