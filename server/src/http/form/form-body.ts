// From a request to the parts of its form. No limit to its size and none to its duration: only silence ends it.
import type { IncomingMessage } from 'node:http'
import { readBoundary } from './form-header.ts'
import { type MultipartBody, malformed, readMultipart } from './multipart.ts'

/** Throws at once when the request is no form; everything else that is wrong is thrown while the parts are read. */
export function readForm(request: IncomingMessage, idleMs: number): MultipartBody {
  const boundary = readBoundary(request.headers['content-type'])
  return readParts(request, boundary, idleMs)
}

async function* readParts(request: IncomingMessage, boundary: string, idleMs: number): MultipartBody {
  request.setTimeout(idleMs, () => request.destroy())
  // Stopping early must not end the connection: the refusal still has to get out.
  const source = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    yield* readMultipart({ next: () => source.next().catch(loseConnection) }, boundary)
  } finally {
    await source.return?.()
    request.socket.setTimeout(0)
  }
}

function loseConnection(): never {
  throw malformed('the connection was lost')
}
