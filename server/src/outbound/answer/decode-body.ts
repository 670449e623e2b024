/**
 * Turns the bytes of an answer into the body it stands for. The bytes received and the bytes unpacked are counted
 * against the same limit while they flow, so a small answer that unpacks to a huge one costs no more than the limit.
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

/** Thrown to the reader when the body grows past the limit. */
export class BodyTooLarge extends Error {}

export type ByteCount = { bytes: number }

/** Every part is a round trip to another thread; parts four times the usual size make fewer of them. */
const chunkSize = 64 * 1024

/** HTTP asks a receiver to support windows up to 8 MiB; left alone, zstd reserves sixteen times that for a stranger. */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 }

/** `received` counts the bytes before unpacking. Leaving the loop early destroys the source. */
export async function* decodeBody(
  source: AsyncIterable<Buffer>,
  encoding: string | undefined,
  bytesMax: number,
  received: ByteCount,
): AsyncGenerator<Buffer> {
  const counted = countUpTo(source, bytesMax, received)
  if (encoding === undefined) return yield* counted
  const first = await counted.next()
  // An empty body is empty in every encoding, although no decoder would accept it.
  if (first.done === true) return
  const decoder = createDecoder(encoding, first.value)
  const packed = Readable.from(startWith(first.value, counted), { objectMode: false })
  // The pipeline hands its error to the decoder, from which it reaches the reader; the callback has nothing to add.
  pipeline(packed, decoder, () => {})
  yield* countUpTo(decoder, bytesMax, { bytes: 0 })
}

/** The encoding to undo, or undefined when the body stands for itself. */
export function readEncoding(header: string | string[] | undefined): string | undefined {
  const text = (typeof header === 'string' ? header : (header?.join() ?? '')).trim().toLowerCase()
  return text === '' || text === 'identity' ? undefined : text
}

async function* countUpTo(source: AsyncIterable<Buffer>, bytesMax: number, count: ByteCount): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count.bytes += chunk.length
    if (count.bytes > bytesMax) throw new BodyTooLarge(`More than ${bytesMax} bytes.`)
    yield chunk
  }
}

async function* startWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

function createDecoder(encoding: string, first: Buffer): Transform {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize })
    case 'deflate':
      // The name means the zlib format, but some servers send the bare one; only the first byte tells.
      return (first[0]! & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })
    case 'br':
      return createBrotliDecompress({ chunkSize })
    case 'zstd':
      return createZstdDecompress({ chunkSize, params: zstdParams })
    default:
      // Encodings upon encodings end here as well: no honest server sends them.
      throw new Error(`Unknown content encoding "${encoding}".`)
  }
}
