// Guessing passwords gets slower with every wrong one and then stops for a while. It is counted for an e-mail address together with the network
// address of the one who guesses, so that strangers do not keep the owner out, or with the device on which its owner signed in before; keys, webhooks and schedules never notice. All of it
// passes by itself. attempts-store.ts counts for all processes together; what is counted here keeps a flood away from the database.
import { networkOf } from '../lib/address-network.ts'
import { createTokenBuckets } from '../lib/token-bucket.ts'

/** So many wrong passwords cost nothing; from then on the wait doubles, from one second. */
export const freeFailures = 4
export const lockAfterFailures = 10
export const lockMinutes = 15
/** Guesses from many addresses at once: for one e-mail address, for one network address, each minute. */
export const perEmailAndMinute = 60
export const perAddressAndMinute = 120
const entriesMax = 50_000

type Entry = { failures: number; until: number }

export class SignInAttempts {
  readonly #entries = new Map<string, Entry>()
  readonly #byEmail = createTokenBuckets({ perSecond: perEmailAndMinute / 60, burst: perEmailAndMinute })
  readonly #byAddress = createTokenBuckets({ perSecond: perAddressAndMinute / 60, burst: perAddressAndMinute })
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Seconds to wait before the next attempt; 0 lets this one through. It counts as failed until `forget` says otherwise, so that guesses
   * made at the same moment count as well.
   */
  begin(address: string, email: string, device?: string): number {
    const key = keyOf(address, email, device)
    const now = this.#now()
    const known = this.#entries.get(key)
    if (known && known.until > now) return Math.ceil((known.until - now) / 1000)
    if (device === undefined) {
      const network = this.#byAddress(networkOf(address))
      if (network.refused) return network.resetSeconds
      if (this.#byEmail(email.toLowerCase()).refused) return 1
    }
    // After a lock has passed, counting begins anew.
    const failures = known && known.failures < lockAfterFailures ? known.failures + 1 : 1
    this.#entries.delete(key)
    if (this.#entries.size >= entriesMax) this.#entries.delete(this.#entries.keys().next().value as string)
    this.#entries.set(key, { failures, until: now + waitMs(failures) })
    return 0
  }

  /** After the right password, or when this attempt was refused before its password was looked at. */
  forget(address: string, email: string, device?: string): void {
    this.#entries.delete(keyOf(address, email, device))
  }

  /** The wait begins now. */
  fail(address: string, email: string, device?: string): void {
    const entry = this.#entries.get(keyOf(address, email, device))
    if (entry) entry.until = this.#now() + waitMs(entry.failures)
  }
}

function waitMs(failures: number): number {
  if (failures >= lockAfterFailures) return lockMinutes * 60_000
  return failures <= freeFailures ? 0 : 1000 * 2 ** (failures - freeFailures - 1)
}

/** What wrong passwords are counted for. */
export function keyOf(address: string, email: string, device: string | undefined): string {
  return device === undefined ? `${networkOf(address)} ${email.toLowerCase()}` : `device ${device}`
}
