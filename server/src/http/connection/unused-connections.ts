import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Browsers and clients open connections ahead of need. Until something was asked on one, Node does not count it as idle, and would wait for its
 * client to go away before the server has ended.
 */
export function closeUnusedAtEnd(app: FastifyInstance): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', (request: IncomingMessage) => unused.delete(request.socket))
  app.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
  })
}
