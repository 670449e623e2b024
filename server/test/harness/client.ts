import { noteRequest, noteState } from './waiting-for.ts'

export type Keys = { consumer: string; secretKey: string }

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered and asserts its shape.
export type Answer = { status: number; body: any; text: string; headers: Headers }

/** A caller of the REST interface, as a user's program would be. */
export class Client {
  readonly baseUrl: string
  readonly keys: Keys | undefined
  readonly #headers: Record<string, string>

  constructor(baseUrl: string, keys: Keys | undefined, headers: Record<string, string> = {}) {
    this.baseUrl = baseUrl
    this.keys = keys
    this.#headers = headers
  }

  /** The same caller with more headers. */
  with(headers: Record<string, string>): Client {
    return new Client(this.baseUrl, this.keys, { ...this.#headers, ...headers })
  }

  /** The same caller acting for another account. */
  as(accountId: string): Client {
    return this.with({ ManagedAccountId: accountId })
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path)
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send('POST', path, body === undefined ? undefined : JSON.stringify(body))
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answered = noteRequest(method, path)
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.keys ? { Consumer: this.keys.consumer, SecretKey: this.keys.secretKey } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...this.#headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    // Events have no end; that they began is all that is asked here.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (isStream) await response.body?.cancel()
    const text = isStream ? '' : await response.text()
    answered(response.status)
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const read = isJson && text !== '' ? JSON.parse(text) : text
    noteState(read)
    return {
      status: response.status,
      body: read,
      text,
      headers: response.headers,
    }
  }
}
