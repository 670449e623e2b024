import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A file that is saved, never shown. `stream` fails rather than ends when something is wrong; the connection is cut then, which the client sees. */
export type FileAnswer = { name: string; contentType: string; bytes: number; stream: Readable }

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/
/** A client that takes nothing for this long has gone. */
const idleMs = 60_000

export function sendFile(reply: FastifyReply, file: FileAnswer): FastifyReply {
  reply.raw.setTimeout(idleMs, () => reply.raw.destroy())
  // At once for a client that left while its file was being opened: the framework would never ask for a byte, nor close it.
  reply.server.answers.onClose(reply.raw, () => file.stream.destroy())
  return reply
    .header('Content-Type', mediaType.test(file.contentType) ? file.contentType : 'application/octet-stream')
    .header('Content-Length', file.bytes)
    .header('Content-Disposition', contentDisposition(file.name))
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .send(file.stream)
}

/** RFC 6266: a name in ASCII for old clients, and the real one. */
export function contentDisposition(name: string): string {
  const wellFormed = name.toWellFormed()
  const ascii = wellFormed.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
