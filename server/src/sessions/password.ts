import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../lib/app-error.ts'

const derive = promisify(scrypt) as (password: string, salt: Buffer, bytes: number, options: object) => Promise<Buffer>
// N = 2^15, r = 8: about 100 ms and 32 MiB, which is what guessing must pay as well.
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

export function checkPasswordStrength(password: string): void {
  if (password.length < 12 || password.length > 1000) {
    throw new AppError('password_too_weak', 'The password must have at least 12 and at most 1000 characters.')
  }
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt$${salt.toString('base64')}$${(await derive(password.normalize('NFKC'), salt, 32, cost)).toString('base64')}`
}

/** Takes the same time for an account without a password. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '', hash = ''] = (stored ?? `scrypt$${'A'.repeat(22)}==$${'A'.repeat(43)}=`).split('$')
  const derived = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, cost)
  return timingSafeEqual(derived, Buffer.from(hash, 'base64')) && stored !== null
}
