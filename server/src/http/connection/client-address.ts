import type { IncomingMessage } from 'node:http'
import { addressMatcher } from '../../lib/address-list.ts'

export type ClientAddress = (request: IncomingMessage) => string

/**
 * Who sent a request. What a trusted proxy says of the one before it is believed, from the nearest to the farthest; the first that is not
 * trusted is the sender, and what it wrote itself counts for nothing.
 */
export function clientAddressReader(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isProxy = addressMatcher(trustedProxies)
  return ({ headers, socket }) => {
    let address = socket.remoteAddress ?? ''
    const reported = headers['x-forwarded-for']
    if (reported === undefined) return address
    const entries = String(reported).split(',')
    while (entries.length > 0 && isProxy(address)) address = withoutPort((entries.pop() as string).trim())
    return address
  }
}

/** Some proxies name the port too: `192.0.2.7:4711`, `[2001:db8::1]:4711`. A bare IPv6 address has more than one colon. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/.exec(entry) ?? []
  return bracketed ?? plain ?? entry
}
