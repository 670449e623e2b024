// A server between the command and the service, so that a test decides what becomes of one request.
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Between = AsyncDisposable & { url: string }

export type Fate = {
  /** The path of the request that this is about. All others are passed on. */
  path: string
  /** Answers in place of the service. */
  instead?(answer: ServerResponse): void
  /** The first bytes have come. With `cut`, the service gets these bytes and no more. */
  firstBytes?(): void
  cut?: true
  /** The service has answered, and the command will never know. */
  answered?(): void
}

export async function standBetween(baseUrl: string, fate: Fate): Promise<Between> {
  const server = createServer((incoming, outgoing) => {
    const isMeant = incoming.url === fate.path
    if (isMeant && fate.instead) {
      incoming.resume()
      return fate.instead(outgoing)
    }
    const { method = 'GET', url, headers } = incoming
    const passed = send(`${baseUrl}${url}`, { method, headers }, (answer) => {
      if (!isMeant || !fate.answered) return pass(answer, outgoing)
      answer.resume()
      outgoing.destroy()
      fate.answered()
    })
    passed.on('error', () => outgoing.destroy())
    if (isMeant && fate.cut) {
      incoming.once('data', (chunk) => passed.write(chunk, () => fate.firstBytes?.()))
      incoming.on('close', () => passed.destroy())
      return
    }
    if (isMeant) incoming.once('data', () => fate.firstBytes?.())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function pass(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(outgoing)
}
