import type { FastifyReply, FastifyRequest } from 'fastify'
import { strangerAt } from './admission/open-answers.ts'
import type { AccountSlot, Slot, SlotHolder } from './admission/slots.ts'
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

  onClose(callback: () => void): void {
    this.#request.server.answers.onClose(this.#reply.raw, callback)
  }

  takeSlot(kind: AccountSlot): Slot {
    const { principal, server } = this.#request
    if (!principal) throw new Error(`A slot for a ${kind} needs an account.`)
    // Whoever opens it holds it, whichever account it is about: acting for many accounts gives nobody more of them.
    const { id: accountId, organizationId } = principal.caller
    const slot = server.slots.forAccount(kind, { accountId, organizationId })
    this.#request.slot?.release()
    return slot
  }

  takeDownloadSlot(owner: SlotHolder): Slot {
    const slot = this.#request.server.slots.forDownload(owner, this.address)
    this.#request.slot?.release()
    return slot
  }

  countUnread(): (bytes: number) => void {
    const { principal, server } = this.#request
    return server.answers.watch(
      this.#reply.raw,
      principal ? { id: principal.caller.id, groupId: principal.caller.organizationId } : strangerAt(this.address),
    )
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
