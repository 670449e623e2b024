// The master key wraps every other key and is never stored beside them. A KMS would be another `MasterKey`.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type MasterKey = {
  /** Names the key without telling anything of it. */
  readonly id: string
  wrap(key: Buffer, boundTo: string): Promise<Buffer>
  /** Throws when the key or what it is bound to is not the one it was wrapped with. */
  unwrap(wrapped: Buffer, boundTo: string): Promise<Buffer>
}

export class MasterKeyError extends Error {
  override name = 'MasterKeyError'
}

type Source = { kind: 'value'; base64: string } | { kind: 'file'; path: string; createIfMissing: boolean }

export function loadMasterKey(source: Source): MasterKey {
  return masterKeyFrom(
    source.kind === 'value' ? Buffer.from(source.base64, 'base64') : readOrCreate(source.path, source.createIfMissing),
  )
}

export function masterKeyFrom(bytes: Buffer): MasterKey {
  const id = createHash('sha256').update('patchbay master key id').update(bytes).digest('hex').slice(0, 16)
  return {
    id,
    wrap: async (key, boundTo) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(boundTo))
      return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
    },
    unwrap: async (wrapped, boundTo) => {
      const decipher = createDecipheriv('aes-256-gcm', bytes, wrapped.subarray(0, 12)).setAAD(Buffer.from(boundTo))
      decipher.setAuthTag(wrapped.subarray(-16))
      return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
    },
  }
}

function readOrCreate(path: string, createIfMissing: boolean): Buffer {
  const found = readIfThere(path)
  if (found !== undefined) return parse(found, path)
  if (!createIfMissing) throw new MasterKeyError(`The master key file ${path} does not exist.`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written whole and then linked: two processes that start at once end up with one and the same key.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return parse(readFileSync(path, 'utf8'), path)
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new MasterKeyError(`The master key file ${path} cannot be read: ${(error as Error).message}`)
  }
}

function parse(text: string, path: string): Buffer {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== 32) throw new MasterKeyError(`The master key file ${path} must hold 32 bytes in base64.`)
  return bytes
}
