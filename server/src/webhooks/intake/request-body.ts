// From the bytes that came to the bytes that are meant, within the same limit.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { AppError, invalid } from '../../lib/app-error.ts'
import { scanJson } from '../../lib/json-scan.ts'

/** Deeper values would not survive every reader on their way through scripts and results. */
export const depthMax = 200

const unpackers = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const
const unpackBareDeflate = promisify(inflateRaw)

/** Undefined: the body stands for itself. */
export function readContentEncoding(header: string | undefined): keyof typeof unpackers | undefined {
  const name = (header ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  if (!Object.hasOwn(unpackers, name))
    throw invalid(`The header Content-Encoding must be one of ${Object.keys(unpackers).join(', ')}.`)
  return name as keyof typeof unpackers
}

export async function unpackBody(packed: Buffer, encoding: keyof typeof unpackers, bytesMax: number): Promise<Buffer> {
  if (packed.length === 0) return packed
  // The name means the zlib format, but some senders give the bare one; only the first byte tells.
  const isBare = encoding === 'deflate' && (packed[0]! & 0x0f) !== 8
  const unpack = isBare ? unpackBareDeflate : unpackers[encoding]
  try {
    return await unpack(packed, { maxOutputLength: bytesMax })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new AppError('body_too_large', 'The decompressed body is too large.')
    throw invalid(`The body could not be decompressed as ${encoding}.`)
  }
}

/** Text with many brackets is not deep JSON. The check makes no values: millions of them would hold up every other request. */
export function isDeepJson(body: Buffer): boolean {
  return mayBeDeep(body) && scanJson(body, body.length).kind === 'json'
}

const quote = 0x22
const backslash = 0x5c

/** Counts brackets outside of strings, without parsing: every request passes here. */
export function mayBeDeep(body: Buffer): boolean {
  // So many levels need at least so many bytes.
  if (body.length <= depthMax) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (isInString) {
      if (byte === backslash) at++
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > depthMax) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}
