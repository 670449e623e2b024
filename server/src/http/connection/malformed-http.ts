import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../../lib/id.ts'

/** What is not HTTP reaches no route: it is answered on the bare socket. */
export function refuseBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const body = JSON.stringify({ code: status, errorMessage: 'The request is not valid HTTP.', response: null })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${newId()}\r\nConnection: close\r\n\r\n${body}`,
  )
}
