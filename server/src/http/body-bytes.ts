import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '../lib/app-error.ts'

/** Bodies that are held in memory at once while they arrive or are worked on, over all requests: beyond it, senders are asked to come back. */
const bytesAtOnceMax = 64 * 1024 * 1024
const readMsMax = 60_000

const memory = { bytes: 0 }

/** Bytes that count until they are released. */
export type HeldBody = { bytes: Buffer; release(): void }

const nothing = Buffer.alloc(0)

/**
 * The bytes of a body: now, if it is there as a whole, else when it is. One that came with its head in one piece is small, and not worth
 * counting.
 */
export function readWholeBody(request: IncomingMessage, bytesMax: number): Buffer | Promise<HeldBody> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  if (!request.complete) return gather(request, bytesMax)
  const body = (request.read() as Buffer | null) ?? nothing
  if (body.length > bytesMax) throw tooLarge()
  return body
}

function gather(request: IncomingMessage, bytesMax: number): Promise<HeldBody> {
  const chunks: Buffer[] = []
  let held = 0
  const release = () => {
    memory.bytes -= held
    held = 0
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(invalid('The body took too long to arrive.')), readMsMax)
    const settle = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('aborted', onLost)
    }
    const fail = (error: AppError) => {
      settle()
      release()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      held += chunk.length
      memory.bytes += chunk.length
      chunks.push(chunk)
      if (held > bytesMax) fail(tooLarge())
      else if (memory.bytes > bytesAtOnceMax)
        fail(new AppError('not_ready', 'The service is busy. Try again in a moment.'))
    }
    const onEnd = () => {
      settle()
      resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), release })
    }
    const onLost = () => fail(invalid('The connection was lost before the body was complete.'))
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('aborted', onLost)
  })
}

function tooLarge(): AppError {
  return new AppError('body_too_large', 'The body is larger than is accepted here.')
}
