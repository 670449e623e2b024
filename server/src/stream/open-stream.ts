// One reader: what it is sent, and what happens when it does not read.
import type { ServerResponse } from 'node:http'
import type { Reach } from '../access/index.ts'
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
  /** Earlier events are not for this reader. */
  readonly #since: number

  constructor(options: {
    response: ServerResponse
    reach: Reach
    rights: StreamRights
    workflowId: string | undefined
    isResumed: boolean
  }) {
    this.#response = options.response
    this.reach = options.reach
    this.rights = options.rights
    this.workflowId = options.workflowId
    this.#since = options.isResumed ? 0 : Date.now()
  }

  get isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  begin(): void {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Proxies that gather answers would hold events back.
      'X-Accel-Buffering': 'no',
    })
    this.#response.socket?.setNoDelay(true)
    this.#response.write('retry: 2000\n\n')
  }

  onClose(callback: () => void): void {
    this.#response.on('close', callback)
  }

  wants(event: StoredEvent): boolean {
    if (this.workflowId !== undefined && event.workflowId !== this.workflowId) return false
    return event.happenedAt >= this.#since
  }

  /** A reader that does not keep up is cut off: it comes back with the last id it has seen. */
  send(frame: string): void {
    if (this.isOver) return
    if (this.#response.writableLength + frame.length > unreadBytesMax) this.cut()
    else this.#response.write(frame)
  }

  /** Resolves once the reader has taken what was sent; cuts it off when that takes too long. */
  async drained(msMax: number): Promise<void> {
    if (this.isOver || !this.#response.writableNeedDrain) return
    const timer = setTimeout(() => this.cut(), msMax)
    await new Promise<void>((done) => {
      this.#response.once('drain', done)
      this.#response.once('close', done)
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

export function frameOf({ id, type, data }: StoredEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}
