/** Real peers on loopback for the tests of this folder. Each closes itself at the end of its scope (`await using`). */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Resolve } from '../../src/outbound/index.ts'
import {
  createGuard,
  OutboundClient,
  type OutboundClientOptions,
  OutboundError,
  parseEgressAllow,
} from '../../src/outbound/index.ts'

export type Peer = AsyncDisposable & {
  port: number
  host: string
  origin: string
  connections: number
  sockets: Set<Socket>
}

export async function startHttp(listener: RequestListener, address = '127.0.0.1', port = 0): Promise<Peer> {
  return listen(createHttpServer(listener), 'http', address, port)
}

export async function startHttps(tls: { key: string; cert: string }, listener: RequestListener): Promise<Peer> {
  return listen(createHttpsServer(tls, listener), 'https', '127.0.0.1', 0)
}

/** A peer that speaks bytes: for answers that no honest HTTP server would send. */
export async function startTcp(onSocket: (socket: Socket) => void, address = '127.0.0.1', port = 0): Promise<Peer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  return listen(server, 'http', address, port)
}

/** Answers the first bytes of every connection with these, and then keeps silent without hanging up. */
export function answerRaw(...parts: (string | Buffer)[]): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part)
    })
  }
}

async function listen(server: Server, scheme: string, address: string, port: number): Promise<Peer> {
  const sockets = new Set<Socket>()
  const peer = { connections: 0 }
  server.on('connection', (socket: Socket) => {
    peer.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  const host = `${address.includes(':') ? `[${address}]` : address}:${actual}`
  return Object.assign(peer, {
    port: actual,
    host,
    origin: `${scheme}://${host}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

type ClientSetup = Omit<OutboundClientOptions, 'guard'> & { allow?: string; resolve?: Resolve }

/** A client that may reach what `allow` names. Unless a test brings a resolver, no name has an address. */
export function createClient({ allow = '', resolve = async () => [], ...options }: ClientSetup = {}): OutboundClient {
  return new OutboundClient({ ...options, guard: createGuard({ allow: parseEgressAllow(allow), resolve }) })
}

/** The error that the call fails with; a call that succeeds fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<OutboundError> {
  const outcome = await call.then(
    () => new Error('The call was expected to fail but did not.'),
    (error: unknown) => error,
  )
  if (outcome instanceof OutboundError) return outcome
  throw outcome
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** Answers with what arrived. */
export async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request)
  const { method, url, headers } = request
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ method, url, headers, body }))
}

/** A port on which nobody listens. */
export async function findClosedPort(): Promise<number> {
  await using peer = await startTcp(() => {})
  return peer.port
}
