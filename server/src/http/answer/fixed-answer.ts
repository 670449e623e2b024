// Answers that are the same for everybody until the next start: made once, and not sent again to a client that has them.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'

export class FixedAnswer {
  readonly bytes: Buffer
  readonly contentType: string
  readonly etag: string

  constructor(text: string, contentType: string) {
    this.bytes = Buffer.from(text)
    this.contentType = contentType
    this.etag = `"${createHash('sha256').update(this.bytes).digest('base64url').slice(0, 27)}"`
  }
}

export function sendFixed(reply: FastifyReply, answer: FixedAnswer): FastifyReply {
  reply.header('ETag', answer.etag).header('Cache-Control', 'no-cache')
  if (isKnown(reply.request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
  return reply.header('Content-Type', answer.contentType).send(answer.bytes)
}

/** A document of this installation. It may depend on where the service listens, so it is made when it is first asked for. */
export function addFixedDocument(app: FastifyInstance, path: string, make: () => unknown): void {
  let made: FixedAnswer | undefined
  app.get(path, { exposeHeadRoute: true, preHandler: app.takeSlot }, (_request, reply) => {
    made ??= new FixedAnswer(JSON.stringify(make()), 'application/json; charset=utf-8')
    return sendFixed(reply, made)
  })
}

/** If-None-Match compares weakly: `W/` before a tag does not count. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
