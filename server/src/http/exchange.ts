import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientAddress } from './connection/client-address.ts'
import type { Exchange } from './handler.ts'

declare module 'fastify' {
  interface FastifyInstance {
    clientAddress: ClientAddress
  }
  interface FastifyRequest {
    exchange: RequestExchange | undefined
  }
}

// A class, because one is made for every request: methods on a prototype cost nothing, closures do.
class RequestExchange implements Exchange {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  get requestId(): string {
    return this.#request.id
  }

  get address(): string {
    return this.#request.server.clientAddress(this.#request.raw)
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  cookie(name: string): string | undefined {
    return readCookie(this.#request.headers.cookie, name)
  }

  /** Calls back once, when the answer is on its way or nobody waits for it any more. */
  onEnd(callback: () => void): void {
    let isOver = false
    const end = () => {
      if (!isOver) callback()
      isOver = true
    }
    this.#reply.raw.once('finish', end).once('close', end)
  }

  setHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }

  setStatus(status: 202): void {
    this.#reply.code(status)
  }
}

/** The value of one cookie. Ours hold nothing that needs decoding. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const found = header?.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim()
}

export function exchangeOf(request: FastifyRequest, reply: FastifyReply): RequestExchange {
  request.exchange ??= new RequestExchange(request, reply)
  return request.exchange
}
