// Sealed values: AES-256-GCM under a data key, bound to the place they are stored in.
//   byte 0      format version (1)
//   bytes 1-16  id of the data key
//   bytes 17-28 nonce
//   …           ciphertext, then the 16-byte tag
// A value is opened with the key it names or not at all; other keys are never tried.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

export type DataKey = { readonly id: string; readonly bytes: Buffer }

/** Where a sealed value lives. Moving the bytes to another table, column, row or account makes them unreadable. */
export type Place = { table: string; column: string; rowId: string; accountId: string }

export class SealError extends Error {
  override name = 'SealError'
}

const version = 1
const headerBytes = 1 + 16 + 12

export function seal(key: DataKey, place: Place, plain: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes)
  header[0] = version
  Buffer.from(key.id.replaceAll('-', ''), 'hex').copy(header, 1)
  randomBytes(12).copy(header, 17)
  const cipher = createCipheriv('aes-256-gcm', secretOf(key), header.subarray(17)).setAAD(associatedData(header, place))
  return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

export function open(key: DataKey, place: Place, sealed: Buffer): Buffer {
  if (sealed.length < headerBytes + 16 || sealed[0] !== version)
    throw new SealError('The sealed value has an unknown format.')
  if (sealed.subarray(1, 17).toString('hex') !== key.id.replaceAll('-', ''))
    throw new SealError('The sealed value names another key.')
  const header = sealed.subarray(0, headerBytes)
  const decipher = createDecipheriv('aes-256-gcm', secretOf(key), header.subarray(17)).setAAD(
    associatedData(header, place),
  )
  decipher.setAuthTag(sealed.subarray(-16))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(headerBytes, -16)), decipher.final()])
  } catch (cause) {
    throw new SealError('The sealed value was changed or moved.', { cause })
  }
}

// Handing the bytes over at every use takes several times as long as the encryption of a small value itself.
const secrets = new WeakMap<DataKey, KeyObject>()

function secretOf(key: DataKey): KeyObject {
  let secret = secrets.get(key)
  if (!secret) {
    secret = createSecretKey(key.bytes)
    secrets.set(key, secret)
  }
  return secret
}

function associatedData(header: Buffer, place: Place): Buffer {
  // Lengths first, so that no two different places have the same bytes.
  const parts = [place.table, place.column, place.rowId, place.accountId]
  return Buffer.concat([header.subarray(0, 17), Buffer.from(JSON.stringify(parts))])
}
