// Sealed values: AES-256-GCM under a data key, bound to the place they are stored in.
//   byte 0      format version (1)
//   bytes 1-16  id of the data key
//   bytes 17-28 nonce
//   …           ciphertext, then the 16-byte tag
// A value is opened with the key it names or not at all; other keys are never tried.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomFillSync } from 'node:crypto'

export type DataKey = { readonly id: string; readonly bytes: Buffer }

/** Where a sealed value lives. Moving the bytes to another table, column, row or account makes them unreadable. */
export type Place = { table: string; column: string; rowId: string; accountId: string }

export class SealError extends Error {
  override name = 'SealError'
}

const version = 1
const headerBytes = 1 + 16 + 12

/** Bytes that sealing adds to a value. */
export const sealBytes = headerBytes + 16

export function seal(key: DataKey, place: Place, plain: Buffer): Buffer {
  const { secret, idBytes } = preparedOf(key)
  const sealed = Buffer.allocUnsafe(headerBytes + plain.length + 16)
  sealed[0] = version
  sealed.set(idBytes, 1)
  takeNonce(sealed, 17)
  const nonce = sealed.subarray(17, headerBytes)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(associatedData(sealed, place))
  sealed.set(cipher.update(plain), headerBytes)
  // The end of this cipher has no bytes of its own; it only makes the tag.
  cipher.final()
  sealed.set(cipher.getAuthTag(), headerBytes + plain.length)
  return sealed
}

export function open(key: DataKey, place: Place, sealed: Buffer): Buffer {
  const { secret, idBytes } = preparedOf(key)
  if (sealed.length < headerBytes + 16 || sealed[0] !== version)
    throw new SealError('The sealed value has an unknown format.')
  if (!sealed.subarray(1, 17).equals(idBytes)) throw new SealError('The sealed value names another key.')
  const header = sealed.subarray(0, headerBytes)
  const decipher = createDecipheriv('aes-256-gcm', secret, header.subarray(17)).setAAD(associatedData(header, place))
  decipher.setAuthTag(sealed.subarray(-16))
  try {
    const plain = decipher.update(sealed.subarray(headerBytes, -16))
    // The end of this cipher has no bytes of its own; it only says whether the tag is right.
    decipher.final()
    return plain
  } catch (cause) {
    throw new SealError('The sealed value was changed or moved.', { cause })
  }
}

// Handing the bytes over at every use takes several times as long as the encryption of a small value itself.
const prepared = new WeakMap<DataKey, { secret: KeyObject; idBytes: Buffer }>()

function preparedOf(key: DataKey): { secret: KeyObject; idBytes: Buffer } {
  let known = prepared.get(key)
  if (!known) {
    known = { secret: createSecretKey(key.bytes), idBytes: Buffer.from(key.id.replaceAll('-', ''), 'hex') }
    prepared.set(key, known)
  }
  return known
}

function associatedData(header: Buffer, place: Place): Buffer {
  // Lengths first, so that no two different places have the same bytes.
  const text = JSON.stringify([place.table, place.column, place.rowId, place.accountId])
  const bytes = Buffer.allocUnsafe(17 + Buffer.byteLength(text))
  header.copy(bytes, 0, 0, 17)
  bytes.write(text, 17)
  return bytes
}

// Asking the system for random bytes costs more than sealing a small value, so they are fetched for many nonces at once. None is used twice.
const nonces = Buffer.alloc(12 * 256)
let noncesUsed = nonces.length

function takeNonce(target: Buffer, at: number): void {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces)
    noncesUsed = 0
  }
  nonces.copy(target, at, noncesUsed, noncesUsed + 12)
  noncesUsed += 12
}
