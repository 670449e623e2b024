// Guessing is slowed down before it costs anything: a few attempts a minute for one e-mail address, more for one network address,
// counted in each process. What gets through is checked with a slow hash.
import { createTokenBuckets } from '../lib/token-bucket.ts'

export type SignInAttempts = { allow(address: string, email: string): boolean }

const perEmailAndMinute = 20
const perAddressAndMinute = 120

export function createSignInAttempts(): SignInAttempts {
  const byEmail = createTokenBuckets({ perSecond: perEmailAndMinute / 60, burst: perEmailAndMinute })
  const byAddress = createTokenBuckets({ perSecond: perAddressAndMinute / 60, burst: perAddressAndMinute })
  return {
    allow: (address, email) => !byAddress(address).refused && !byEmail(email.toLowerCase()).refused,
  }
}
