// The master key wraps every other key and is never stored beside them.
import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'

export type MasterKey = {
  /** Names the key without telling anything of it. */
  readonly id: string
  wrap(key: Buffer, boundTo: string): Promise<Buffer>
  /** Throws when the key or what it is bound to is not the one it was wrapped with. */
  unwrap(wrapped: Buffer, boundTo: string): Promise<Buffer>
}

/**
 * The port to whatever keeps master keys. `MasterKeys` keeps them in a file or a variable; a key management service would hand out keys whose
 * `wrap` and `unwrap` are its own calls, so that they never leave it. Only the id of a key is ever stored.
 */
export type MasterKeyProvider = {
  /** The only one, or the one that a rotation leads to. */
  readonly newest: MasterKey
  /** Undefined when it has no such key. */
  find(id: string): MasterKey | undefined
}

export class MasterKeyError extends Error {
  override name = 'MasterKeyError'
}

export function masterKeyFrom(bytes: Buffer): MasterKey {
  const id = createHash('sha256').update('patchbay master key id').update(bytes).digest('hex').slice(0, 16)
  const secret = createSecretKey(bytes)
  return {
    id,
    wrap: async (key, boundTo) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(boundTo))
      return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
    },
    unwrap: async (wrapped, boundTo) => {
      const decipher = createDecipheriv('aes-256-gcm', secret, wrapped.subarray(0, 12)).setAAD(Buffer.from(boundTo))
      decipher.setAuthTag(wrapped.subarray(-16))
      return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
    },
  }
}

/** One key a line (or between commas), newest first, each 32 bytes in base64. */
export function parseMasterKeys(text: string, origin: string): Buffer[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => Buffer.from(part, 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length !== 32)) {
    throw new MasterKeyError(`${origin} must hold 32 bytes in base64, and during a rotation several of them.`)
  }
  return keys
}
