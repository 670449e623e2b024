// Key pair -> account, at the cost of one comparison for a pair that was seen within the last half second.
import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/index.ts'
import type { Credential } from '../http/index.ts'
import { addressMatcher } from '../lib/address-list.ts'
import { AppError } from '../lib/app-error.ts'
import { TimedCache } from '../lib/timed-cache.ts'
import { hashSecret } from './secret.ts'
import { findKeyByConsumer, type StoredKey, touchKeys } from './store.ts'

type KnownKey = StoredKey & {
  isAllowed: (address: string) => boolean
  /** The secret that was proven right. Hashes cost a twentieth of a whole request, so one is computed once per cache life. */
  provenSecret?: string
}

// Revoking or changing a key holds on every process within one second: half of it for the cache, the rest for the request.
const cacheMs = 500
/** As we make them, with room for more. Anything else is nobody's, and remembering it would only cost memory. */
const consumerPattern = /^[\w-]{1,64}$/
const cacheEntriesMax = 20_000
const touchMs = 5_000
// Compared against when the consumer is unknown, so that the answer takes the same time.
const nobody = Buffer.alloc(32)

export class KeyAuthenticator implements AsyncDisposable {
  readonly #database: Database
  readonly #pepper: Buffer
  readonly #cache = new TimedCache<KnownKey | undefined>(cacheMs, cacheEntriesMax)
  readonly #used = new Set<string>()
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, pepper: Buffer, onFault: (error: unknown) => void) {
    this.#database = database
    this.#pepper = pepper
    this.#timer = setInterval(() => void this.#noteUse().catch(onFault), touchMs)
    this.#timer.unref()
  }

  authenticate(consumer: string, secretKey: string, address: string): Credential | Promise<Credential> {
    const known = this.#cache.peek(consumer)
    if (known) return this.#judge(known, secretKey, address)
    if (!consumerPattern.test(consumer)) return this.#judge(undefined, secretKey, address)
    return this.#cache.get(consumer, () => this.#find(consumer)).then((key) => this.#judge(key, secretKey, address))
  }

  #judge(key: KnownKey | undefined, secretKey: string, address: string): Credential {
    if (!key) timingSafeEqual(hashSecret(this.#pepper, secretKey), nobody)
    if (!key || !this.#isRight(key, secretKey))
      throw new AppError('keys_invalid', 'The keys in the headers Consumer and SecretKey are not valid.')
    if (key.accountState !== 'active') throw new AppError('keys_invalid', 'The account of these keys is not active.')
    if (key.expiresAt && key.expiresAt.getTime() <= Date.now())
      throw new AppError('keys_invalid', 'These keys have expired.')
    if (!key.isAllowed(address))
      throw new AppError('address_not_allowed', `These keys may not be used from the address ${address}.`)
    this.#used.add(key.id)
    return { account: key.account, kind: 'key', id: key.id }
  }

  #isRight(key: KnownKey, secretKey: string): boolean {
    if (key.provenSecret !== undefined && isSameSecret(secretKey, key.provenSecret)) return true
    if (!timingSafeEqual(hashSecret(this.#pepper, secretKey), key.secretHash)) return false
    key.provenSecret = secretKey
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#noteUse()
  }

  async #find(consumer: string): Promise<KnownKey | undefined> {
    const stored = await findKeyByConsumer(this.#database, consumer)
    return (
      stored && {
        ...stored,
        isAllowed: stored.ipRestriction.length === 0 ? () => true : addressMatcher(stored.ipRestriction),
      }
    )
  }

  async #noteUse(): Promise<void> {
    if (this.#used.size === 0) return
    const ids = [...this.#used]
    this.#used.clear()
    await touchKeys(this.#database, ids)
  }
}

/** Takes the same time wherever the two differ; how long secrets are is no secret. */
function isSameSecret(given: string, proven: string): boolean {
  if (given.length !== proven.length) return false
  let difference = 0
  for (let index = 0; index < given.length; index++) difference |= given.charCodeAt(index) ^ proven.charCodeAt(index)
  return difference === 0
}
