/**
 * Files of any size, encrypted in chunks of which each proves itself (the STREAM construction of Hoang, Reyhanitabar,
 * Rogaway and Vizár with AES-256-GCM). Layout:
 *
 *   header   version (1 byte) | salt (32) | nonce prefix (7)
 *   chunks   65,536 bytes of ciphertext | tag (16), the last one with fewer bytes (none only in an empty file)
 *
 * The file key is HKDF-SHA256 of a data key with the salt and a text that says what the file is, so that bytes of
 * one file mean nothing in another. The nonce of a chunk is prefix | number (4 bytes) | 1 for the last chunk,
 * else 0: chunks that were moved, repeated, removed or appended, and a file cut short, all fail. The header is
 * associated data of every chunk.
 *
 * Both directions are async generators for `pipeline`; they hold one chunk at a time, whatever the size of the file.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { cutPieces, type Piece } from './stream-pieces.ts'

const version = 1
const saltBytes = 32
const prefixBytes = 7
const headerBytes = 1 + saltBytes + prefixBytes
const tagBytes = 16
const chunkBytes = 65_536
const chunksMax = 2 ** 32

/** The bytes are not what was encrypted for this place. What was yielded before is genuine, but not the whole file. */
export class DamagedStreamError extends Error {
  override readonly name = 'DamagedStreamError'
}

/** `boundTo` says what the file is; it opens only where the same is said. */
export async function* encryptStream(
  source: AsyncIterable<Uint8Array>,
  dataKey: Uint8Array,
  boundTo: string,
): AsyncGenerator<Buffer, void, undefined> {
  const header = Buffer.concat([Buffer.from([version]), randomBytes(saltBytes + prefixBytes)])
  const key = deriveFileKey(dataKey, header, boundTo)
  yield header
  let number = 0
  for await (const { bytes, isLast } of cutPieces(source, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', key, chunkNonce(header, number++, isLast), { authTagLength: tagBytes })
    cipher.setAAD(header)
    // GCM gives as many bytes as it takes, so nothing is left for `final` but the tag. Joining them would copy every byte once more.
    const encrypted = cipher.update(bytes)
    cipher.final()
    if (encrypted.length > 0) yield encrypted
    yield cipher.getAuthTag()
  }
}

/** Yields only bytes whose tag was right; throws a {@link DamagedStreamError} at the first that is not. */
export async function* decryptStream(
  source: AsyncIterable<Uint8Array>,
  dataKey: Uint8Array,
  boundTo: string,
): AsyncGenerator<Buffer, void, undefined> {
  let file: OpenedFile | undefined
  let number = 0
  for await (const piece of cutPieces(source, chunkBytes + tagBytes, headerBytes)) {
    if (!file) {
      if (piece.bytes.length < headerBytes || piece.bytes[0] !== version)
        throw new DamagedStreamError('The file has no valid header.')
      const header = Buffer.from(piece.bytes)
      file = { header, key: deriveFileKey(dataKey, header, boundTo) }
      if (piece.isLast) throw new DamagedStreamError('The file ends after its header.')
      continue
    }
    const plain = openChunk(file, piece, number)
    // The encrypting side never writes an empty chunk after a full one, so one file has one form only.
    if (plain.length === 0 && number > 0) throw new DamagedStreamError('The file ends with an empty chunk.')
    number++
    if (plain.length > 0) yield plain
  }
}

type OpenedFile = { header: Buffer; key: Buffer }

function openChunk({ header, key }: OpenedFile, { bytes, isLast }: Piece, number: number): Buffer {
  if (bytes.length < tagBytes) throw new DamagedStreamError(`Chunk ${number} of the file is cut short.`)
  const decipher = createDecipheriv('aes-256-gcm', key, chunkNonce(header, number, isLast), { authTagLength: tagBytes })
  decipher.setAAD(header)
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  const plain = decipher.update(bytes.subarray(0, -tagBytes))
  try {
    decipher.final()
  } catch (cause) {
    // GCM in Node decrypts before it checks; the bytes must be gone before anybody can see them.
    plain.fill(0)
    throw new DamagedStreamError(`Chunk ${number} of the file is damaged or does not belong here.`, { cause })
  }
  return plain
}

function deriveFileKey(dataKey: Uint8Array, header: Buffer, boundTo: string): Buffer {
  if (dataKey.length !== 32) throw new Error('A data key has 32 bytes.')
  const salt = header.subarray(1, 1 + saltBytes)
  return Buffer.from(hkdfSync('sha256', dataKey, salt, boundTo, 32))
}

function chunkNonce(header: Buffer, number: number, isLast: boolean): Buffer {
  // A number that wrapped around would repeat a nonce, which breaks GCM; 2^32 chunks are 256 TiB.
  if (number >= chunksMax) throw new Error('The file has too many chunks to be encrypted.')
  const nonce = Buffer.alloc(12)
  header.copy(nonce, 0, 1 + saltBytes)
  nonce.writeUInt32BE(number, prefixBytes)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
