// What intake must know of a webhook before it looks at a request. Remembered for half a second; a change is noticed all the same,
// because a request is stored only if the settings it was checked against are still in force.
import type { Database } from '../db/index.ts'
import { addressMatcher } from '../lib/address-list.ts'
import { TimedCache } from '../lib/timed-cache.ts'
import type { KeyRing } from '../secrets/index.ts'
import { findOpenWebhook } from './intake-store.ts'
import type { Order } from './lane.ts'
import { openSecret } from './secrets-at-rest.ts'

export type KnownWebhook = Order & {
  workflowId: string
  accountId: string
  version: string
  isInDevelopment: boolean
  isAllowed(address: string): boolean
  /** Those in force at this moment. */
  secrets(now: Date): string[]
}

const cacheMs = 500
const cacheEntriesMax = 20_000

export class KnownWebhooks {
  readonly #deps: { database: Database; keyRing: KeyRing }
  readonly #cache = new TimedCache<KnownWebhook | undefined>(cacheMs, cacheEntriesMax)

  constructor(deps: { database: Database; keyRing: KeyRing }) {
    this.#deps = deps
  }

  /** Undefined when no request is taken: unknown, archived, never enabled, inactive, or of an account that is not active. */
  async find(workflowId: string): Promise<KnownWebhook | undefined> {
    return this.#cache.peek(workflowId) ?? this.#cache.get(workflowId, () => this.#load(workflowId))
  }

  forget(workflowId: string): void {
    this.#cache.forget(workflowId)
  }

  async #load(workflowId: string): Promise<KnownWebhook | undefined> {
    const { database, keyRing } = this.#deps
    const found = await findOpenWebhook(database.system, workflowId)
    if (!found) return undefined
    const { sealedSecret, sealedPreviousSecret, previousSecretUntil, ipRestriction, ...rest } = found
    const current = await openSecret(keyRing, found, 'sealed_secret', sealedSecret)
    const previous =
      sealedPreviousSecret && (await openSecret(keyRing, found, 'sealed_previous_secret', sealedPreviousSecret))
    return {
      ...rest,
      isAllowed: ipRestriction.length === 0 ? () => true : addressMatcher(ipRestriction),
      secrets: (now) =>
        previous !== null && previousSecretUntil !== null && previousSecretUntil > now
          ? [current, previous]
          : [current],
    }
  }
}
