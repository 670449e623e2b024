/** The connector that undici uses in place of its own: guarded TCP first, TLS only on a connection that was judged. */

import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Guard } from '../guard/guard.ts'
import { notReached, OutboundError } from '../outbound-error.ts'
import { dial } from './dial.ts'

export type ConnectorOptions = { guard: Guard; connectMs: number; secureContext: SecureContext | undefined }

export function createConnector(options: ConnectorOptions): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === 'https:'
    openSocket(options, hostname, port === '' ? (isSecure ? 443 : 80) : Number(port), isSecure).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

async function openSocket(
  { guard, connectMs, secureContext }: ConnectorOptions,
  hostname: string,
  port: number,
  isSecure: boolean,
): Promise<Socket | TLSSocket> {
  const startedMs = performance.now()
  const socket = await dial(guard, hostname, port, { timeoutMs: connectMs })
  if (!isSecure) return socket
  const timeoutMs = Math.max(1, connectMs - (performance.now() - startedMs))
  return handshake(socket, hostname, { target: `${hostname}:${port}`, timeoutMs, secureContext })
}

type Handshake = { target: string; timeoutMs: number; secureContext: SecureContext | undefined }

function handshake(
  socket: Socket,
  hostname: string,
  { target, timeoutMs, secureContext }: Handshake,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host: hostname,
      // Names of a server may not be IP literals; Node checks those against the certificate by `host`.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(secureContext === undefined ? {} : { secureContext }),
      ALPNProtocols: ['http/1.1'],
    })
    const fail = (error: Error) => {
      clearTimeout(timer)
      secure.destroy()
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(
      () => fail(notReached('unreachable', target, `No TLS handshake within ${timeoutMs} ms.`)),
      timeoutMs,
    )
    // After the handshake a late call of this listener changes nothing that undici does not do itself.
    secure.on('error', (error) => fail(insecure(target, error)))
    secure.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(secure)
    })
  })
}

function insecure(target: string, error: NodeJS.ErrnoException): OutboundError {
  const reason = error.code === undefined ? '' : ` (${error.code})`
  const message = `A secure connection to ${target} could not be established${reason}.`
  return new OutboundError('insecure', message, { detail: error.message, cause: error })
}
