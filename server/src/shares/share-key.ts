// A share has a data key of its own. It is wrapped by a key derived from the code (scrypt), and that is sealed by the account's key: opening the
// files takes the database, the master key and the code. Deriving is made slow on purpose, so it is also limited: a flood of guesses must cost the
// guesser, not the service.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../lib/app-error.ts'
import { Turnstile } from './turnstile.ts'

const derive = promisify(scrypt) as (code: string, salt: Buffer, bytes: number, options: object) => Promise<Buffer>
// N = 2^15, r = 8: about 100 ms and 32 MiB a guess.
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

const nonceBytes = 12
const tagBytes = 16

/** At most two derivations at once, and a queue that takes two seconds however large the flood. */
export function codeTurnstile(): Turnstile {
  return new Turnstile(
    { insideMax: 2, waitingMax: 40, perVisitorMax: 25 },
    () => new AppError('not_ready', 'Too many codes are being checked. Try again in a moment.'),
  )
}

/** 128 bits: nobody guesses it, and it fits into a link. */
export function makeCode(): string {
  return randomBytes(16).toString('base64url')
}

export function makeCodeSalt(): Buffer {
  return randomBytes(16)
}

/** People type codes: the same characters written differently, and spaces around them, are the same code. */
export function deriveCodeKey(code: string, salt: Buffer): Promise<Buffer> {
  return derive(code.normalize('NFKC').trim(), salt, 32, cost)
}

export function wrapDataKey(dataKey: Buffer, codeKey: Buffer, shareId: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', codeKey, nonce).setAAD(Buffer.from(shareId))
  return Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()])
}

/** Undefined when the code was not the right one. */
export function unwrapDataKey(wrapped: Buffer, codeKey: Buffer, shareId: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', codeKey, wrapped.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(shareId)).setAuthTag(wrapped.subarray(-tagBytes))
  const dataKey = decipher.update(wrapped.subarray(nonceBytes, -tagBytes))
  try {
    decipher.final()
    return dataKey
  } catch {
    return undefined
  }
}
