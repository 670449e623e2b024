import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type TargetRequest = {
  method: string
  /** Path and query as received. */
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
}

export type TargetReply = {
  status?: number
  headers?: Record<string, string | string[]>
  json?: unknown
  body?: string | Buffer
}

export type HttpTarget = AsyncDisposable & {
  origin: string
  received: TargetRequest[]
  /** May be replaced at any time. Undefined leaves the response to `answer` itself. */
  answer: (
    request: TargetRequest,
    response: ServerResponse,
  ) => TargetReply | undefined | Promise<TargetReply | undefined>
}

/** Another company's service, as a local HTTP server. By default it tells what it received. */
export async function startHttpTarget(answer?: HttpTarget['answer']): Promise<HttpTarget> {
  const received: TargetRequest[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    received.push(seen)
    const reply = await target.answer(seen, response)
    if (!reply) return
    const headers = { ...(reply.json === undefined ? {} : { 'content-type': 'application/json' }), ...reply.headers }
    response.writeHead(reply.status ?? 200, headers)
    response.end(reply.json === undefined ? (reply.body ?? '') : JSON.stringify(reply.json))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target: HttpTarget = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: answer ?? (({ method, url, headers, body }) => ({ json: { method, url, headers, body: body.toString() } })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return target
}
