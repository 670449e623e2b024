/** Opens TCP connections to judged addresses only. Every socket that serves a user starts here, mail servers included. */
import { connect, type Socket } from 'node:net'
import { isSameAddress, parseAddress } from '../guard/address.ts'
import type { Guard } from '../guard/guard.ts'
import { bareHost, normalizeHost } from '../guard/host-name.ts'
import { notReached, OutboundError } from '../outbound-error.ts'

export const connectMsDefault = 5_000

export type DialOptions = { timeoutMs?: number; signal?: AbortSignal }

/** A connected socket to a host that a user named, such as a mail server. Name resolution is inside the time limit. */
export async function connectTcp(guard: Guard, host: string, port: number, options: DialOptions = {}): Promise<Socket> {
  const name = normalizeHost(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)
  if (name === undefined) throw new OutboundError('invalidRequest', `"${host}" is not a valid host name.`)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new OutboundError('invalidRequest', `${port} is not a valid port.`)
  }
  return dial(guard, name, port, options)
}

export async function dial(guard: Guard, host: string, port: number, options: DialOptions = {}): Promise<Socket> {
  const target = `${host}:${port}`
  const timeoutMs = options.timeoutMs ?? connectMsDefault
  const late = Promise.withResolvers<never>()
  // The race below may be over before this promise is rejected; nobody is left to hear it then.
  late.promise.catch(() => {})
  const timer = setTimeout(
    () => late.reject(notReached('unreachable', target, `No connection within ${timeoutMs} ms.`)),
    timeoutMs,
  )
  const onAbort = () => late.reject(new OutboundError('cancelled', `The call to ${target} was cancelled.`))
  if (options.signal?.aborted) onAbort()
  else options.signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const verdict = await Promise.race([late.promise, guard.resolveTarget(host, port)]).catch((error: unknown) => {
      throw error instanceof OutboundError ? error : notReached('unreachable', target, 'No name resolution.', error)
    })
    if (verdict.kind === 'refused') throw notReached('refusedByGuard', target, verdict.reason)
    return await open({ host: bareHost(host), port, addresses: verdict.addresses, target }, late.promise)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
  }
}

type Dialled = { host: string; port: number; addresses: readonly string[]; target: string }

async function open({ host, port, addresses, target }: Dialled, late: Promise<never>): Promise<Socket> {
  const judged = addresses.map((address) => parseAddress(address)!)
  // With one answer the address itself is dialled. With several Node races the families among exactly these answers:
  // the lookup hook hands them over and asks nobody again.
  const socket =
    addresses.length === 1
      ? connect({ host: addresses[0]!, port, noDelay: true, keepAlive: true })
      : connect({
          host,
          port,
          noDelay: true,
          keepAlive: true,
          autoSelectFamily: true,
          lookup: (_host, _options, callback) =>
            callback(
              null,
              addresses.map((address, at) => ({ address, family: judged[at]!.family })),
            ),
        })
  const connected = Promise.withResolvers<void>()
  connected.promise.catch(() => {})
  // The listener stays on: an error that strikes before the new owner listens must not end the process.
  socket
    .on('error', (error) => connected.reject(notReached('unreachable', target, error.message, error)))
    .once('connect', () => connected.resolve())
  try {
    await Promise.race([late, connected.promise])
    const peer = parseAddress(socket.remoteAddress ?? '')
    if (peer === undefined || !judged.some((address) => isSameAddress(address, peer))) {
      throw notReached('refusedByGuard', target, `Connected to ${socket.remoteAddress}, which was not judged.`)
    }
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
