import type { IncomingMessage } from 'node:http'

/** How long a client whose request was refused may go on sending it: it needs a moment to see the answer. */
const lingerMs = 5000

/**
 * A body that nobody reads any more is read over: otherwise the answer would be lost with the connection, or the next request on it never begin.
 * A client that does not stop is cut off.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  request.resume()
  const cut = setTimeout(() => request.destroy(), lingerMs)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(cut))
}
