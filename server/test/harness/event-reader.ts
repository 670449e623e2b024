// A reader of server-sent events, as a browser is one.
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service sent and asserts its shape.
export type ReadEvent = { id: number; type: string; data: any }

export class EventReader implements AsyncDisposable {
  readonly status: number
  readonly headers: Headers
  readonly events: ReadEvent[] = []
  readonly comments: string[] = []
  isOver = false
  readonly #abort: AbortController

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#abort = abort
    void this.#read(response).catch(() => {
      this.isOver = true
    })
  }

  static async open(client: Client, query = '', headers: Record<string, string> = {}): Promise<EventReader> {
    const abort = new AbortController()
    const keys = client.keys ? { Consumer: client.keys.consumer, SecretKey: client.keys.secretKey } : {}
    const response = await fetch(`${client.baseUrl}/api/Stream${query}`, {
      headers: { ...keys, ...headers },
      signal: abort.signal,
    })
    return new EventReader(response, abort)
  }

  /** Waits for as many events of a type as are wanted, and returns all of the type. */
  wait(type: string, count = 1): Promise<ReadEvent[]> {
    return eventually(() => {
      const found = this.events.filter((event) => event.type === type)
      return found.length >= count ? found : undefined
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
  }

  async #read(response: Response): Promise<void> {
    let text = ''
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (text + piece).split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) this.#take(part)
    }
    this.isOver = true
  }

  #take(part: string): void {
    const fields = new Map(
      part.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 1).trim()]),
    )
    const data = fields.get('data')
    if (data === undefined) this.comments.push(part)
    else this.events.push({ id: Number(fields.get('id')), type: fields.get('event') ?? '', data: JSON.parse(data) })
  }
}
