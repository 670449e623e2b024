// Routes for requests of other systems, whose bodies are bytes and nothing else: they may be of any type, and are signed as they came.
// Part of the explicit list of routes without keys.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import { AppError, invalid } from '../lib/app-error.ts'

export type RawHead = {
  readonly method: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  readonly headers: IncomingHttpHeaders
  readonly address: string
}

export type RawAnswer = {
  status: number
  contentType: string
  body: string
  headers?: Readonly<Record<string, string>>
}

export type RawRoute = {
  methods: readonly HTTPMethods[]
  path: string
  bodyBytesMax: number
  /** Before a byte of the body is read: throws to refuse, else returns what reads and answers the request. */
  admit(head: RawHead): Promise<(body: Buffer) => Promise<RawAnswer>>
}

/** Bodies that are held in memory at once, over all requests: beyond it, senders are asked to come back. */
const bytesAtOnceMax = 64 * 1024 * 1024
const readMsMax = 60_000
/** How long a sender whose body was refused may go on before it is cut off: it needs a moment to see the answer. */
const lingerMs = 5000

/** `app` must be a context of its own: its other routes would lose their body parsers. */
export function addRawRoutes(app: FastifyInstance, routes: readonly RawRoute[]): void {
  const memory = { bytes: 0 }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  for (const route of routes) {
    app.route({
      method: [...route.methods],
      url: route.path,
      handler: async (request, reply) => {
        const answer = await route.admit({
          method: request.method,
          params: request.params as Record<string, string>,
          query: request.query as RawHead['query'],
          headers: request.headers,
          address: request.ip,
        })
        const reader = new BodyReader(request.raw, route.bodyBytesMax, memory)
        try {
          return send(reply, await answer(await reader.read()))
        } finally {
          reader.release()
        }
      },
    })
  }
}

function send(reply: FastifyReply, { status, contentType, body, headers }: RawAnswer): FastifyReply {
  if (headers) reply.headers(headers)
  return reply.code(status).header('Content-Type', contentType).header('X-Content-Type-Options', 'nosniff').send(body)
}

class BodyReader {
  readonly #request: IncomingMessage
  readonly #bytesMax: number
  readonly #memory: { bytes: number }
  #held = 0

  constructor(request: IncomingMessage, bytesMax: number, memory: { bytes: number }) {
    this.#request = request
    this.#bytesMax = bytesMax
    this.#memory = memory
  }

  read(): Promise<Buffer> {
    const request = this.#request
    if (Number(request.headers['content-length'] ?? 0) > this.#bytesMax) return Promise.reject(this.#giveUp(tooLarge()))
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const timer = setTimeout(() => fail(invalid('The body took too long to arrive.')), readMsMax)
      const fail = (error: AppError) => {
        clearTimeout(timer)
        request.off('data', onData).off('end', onEnd)
        reject(this.#giveUp(error))
      }
      const onData = (chunk: Buffer) => {
        this.#held += chunk.length
        this.#memory.bytes += chunk.length
        chunks.push(chunk)
        if (this.#held > this.#bytesMax) fail(tooLarge())
        else if (this.#memory.bytes > bytesAtOnceMax)
          fail(new AppError('not_ready', 'The service is busy. Try again in a moment.'))
      }
      const onEnd = () => {
        clearTimeout(timer)
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
      }
      const onLost = () => fail(invalid('The connection was lost before the body was complete.'))
      request.on('data', onData).once('end', onEnd).once('error', onLost).once('aborted', onLost)
    })
  }

  release(): void {
    this.#memory.bytes -= this.#held
    this.#held = 0
  }

  /** What was not read must be, or the answer would be lost with the connection. */
  #giveUp(error: AppError): AppError {
    const request = this.#request
    request.resume()
    const cut = setTimeout(() => request.destroy(), lingerMs)
    for (const event of ['end', 'close']) request.once(event, () => clearTimeout(cut))
    return error
  }
}

function tooLarge(): AppError {
  return new AppError('body_too_large', 'The body is larger than is accepted here.')
}
