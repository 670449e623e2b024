// One attack under way: what it sends, and how each of its attempts ended.
import { connect, type Socket } from 'node:net'
import type { Keys } from './client.ts'

export type Battlefield = {
  baseUrl: string
  /** Keys of accounts of one organization. */
  neighbours: readonly Keys[]
  /** Somebody's webhook, whose address a stranger knows. */
  webhookUrl: string
  /** Somebody's e-mail address. */
  email: string
  /** Workflows of the first neighbour by what they do. */
  workflows: Record<'wide' | 'secrets', string>
  /** By the name of a script attack: its workflow of each neighbour. */
  scripts: Record<string, readonly string[]>
  /** How much of it: 1 in CI, more in a proof. */
  strength: number
}

export class Assault {
  readonly strength: number
  /** How many attempts ended so: a status, `unanswered`, `closed`. */
  readonly ends: Record<string, number> = {}
  readonly #field: Battlefield
  readonly #sockets: Socket[] = []
  readonly #stop = new AbortController()

  constructor(field: Battlefield) {
    this.#field = field
    this.strength = field.strength
  }

  /** So many at once, each again and again until the attack is over. */
  async again(atOnce: number, act: () => Promise<void>): Promise<void> {
    const keepOn = async () => {
      while (!this.#stop.signal.aborted) await act()
    }
    await Promise.all(Array.from({ length: atOnce * this.strength }, keepOn))
  }

  async ask(path: string, init: RequestInit): Promise<void> {
    try {
      const response = await fetch(`${this.#field.baseUrl}${path}`, {
        ...init,
        redirect: 'manual',
        signal: this.#stop.signal,
      })
      this.#count(String(response.status))
      for await (const _ of response.body ?? []);
    } catch {
      if (!this.#stop.signal.aborted) this.#count('closed')
    }
  }

  /** A connection that sends and never reads. */
  send(text: string): void {
    const socket = connect(Number(new URL(this.#field.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(text)
    this.#sockets.push(socket)
  }

  /** Starts a run and leaves the rest to the service. */
  async run(workflowId: string, account = 0): Promise<void> {
    const headers = { ...this.keys(account), 'Content-Type': 'application/json' }
    await this.ask('/api/RunWorkflow', { method: 'POST', headers, body: JSON.stringify({ workflowId }) })
    await new Promise((done) => setTimeout(done, 200))
  }

  keys(account = 0): { Consumer: string; SecretKey: string } {
    const { consumer, secretKey } = this.#field.neighbours[account] as Keys
    return { Consumer: consumer, SecretKey: secretKey }
  }

  rawHead(method: string, path: string): string {
    const { Consumer, SecretKey } = this.keys()
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\nConsumer: ${Consumer}\r\nSecretKey: ${SecretKey}\r\n`
  }

  /** Ends it, and looks at what the unread connections were answered. */
  async end(): Promise<void> {
    this.#stop.abort()
    const ends = await Promise.all(this.#sockets.map(readStatus))
    for (const end of ends) this.#count(end)
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Whether anything of it has reached the service, and, where that is known before the end, what it aims at. */
  hasReached(aims: readonly string[]): boolean {
    return aims.some((end) => end in this.ends) || this.#sockets.some((socket) => socket.bytesWritten > 0)
  }

  #count(end: string): void {
    this.ends[end] = (this.ends[end] ?? 0) + 1
  }
}

/** The status of the first answer that waits to be read. What has not come by now was not sent. */
function readStatus(socket: Socket): Promise<string> {
  return new Promise((done) => {
    // Two rounds of the event loop later even a process that was kept from working has seen what lies in its sockets.
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => done('unanswered'))), 1000)
    const end = (how: string) => {
      clearTimeout(timer)
      done(how)
    }
    if (socket.destroyed) return end('closed')
    socket.once('data', (bytes) => {
      socket.pause()
      end(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 'closed')
    })
    socket.once('close', () => end('closed'))
    socket.resume()
  })
}
