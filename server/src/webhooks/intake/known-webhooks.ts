// What intake must know of a webhook before it looks at a request.
//
// It is remembered for a minute, but an old answer counts only as far as the database checks it again: a request is stored only if the
// settings it was proven against are still in force. For whatever else is said to a sender, half a second is the limit.
import type { Database } from '../../db/index.ts'
import { addressMatcher } from '../../lib/address-list.ts'
import { TimedCache } from '../../lib/timed-cache.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Order } from '../queue/lane.ts'
import { openSecret } from '../settings/secrets-at-rest.ts'
import { customFormat } from '../signature/custom-format.ts'
import type { SignatureFormat } from '../signature/formats.ts'
import { findOpenWebhook } from './store.ts'

export type KnownWebhook = Order & {
  workflowId: string
  accountId: string
  organizationId: string
  version: string
  isInDevelopment: boolean
  respondWith: 'accepted' | 'result'
  respondSeconds: number
  /** Undefined: from everywhere. */
  isAllowed: ((address: string) => boolean) | undefined
  /** Those in force at this moment. */
  secrets(now: Date): readonly string[]
  /** The signature format of its settings. */
  custom: SignatureFormat | undefined
  seal: Awaited<ReturnType<KeyRing['sealerFor']>>
}

const freshMs = 500
const rememberedMs = 60_000
const entriesMax = 20_000

export class KnownWebhooks {
  readonly #deps: { database: Database; keyRing: KeyRing }
  readonly #fresh = new TimedCache<KnownWebhook | undefined>(freshMs, entriesMax)
  readonly #remembered = new Map<string, { webhook: KnownWebhook; until: number }>()

  constructor(deps: { database: Database; keyRing: KeyRing }) {
    this.#deps = deps
  }

  /** Perhaps not in force any more. By the id as it is stored, in lower case. */
  recall(workflowId: string): KnownWebhook | undefined {
    const known = this.#remembered.get(workflowId)
    return known && performance.now() < known.until ? known.webhook : undefined
  }

  /** Undefined when no request is taken: unknown, archived, never enabled, inactive, or of an account that is not active. */
  async find(workflowId: string): Promise<KnownWebhook | undefined> {
    return this.#fresh.peek(workflowId) ?? this.#fresh.get(workflowId, () => this.#load(workflowId))
  }

  forget(workflowId: string): void {
    this.#fresh.forget(workflowId)
    this.#remembered.delete(workflowId)
  }

  async #load(workflowId: string): Promise<KnownWebhook | undefined> {
    const { database, keyRing } = this.#deps
    const found = await findOpenWebhook(database.system, workflowId)
    if (!found) {
      this.#remembered.delete(workflowId)
      return undefined
    }
    const { sealedSecret, sealedPreviousSecret, previousSecretUntil, ipRestriction, signature, ...rest } = found
    const current = await openSecret(keyRing, found, 'sealed_secret', sealedSecret)
    const previous =
      sealedPreviousSecret && (await openSecret(keyRing, found, 'sealed_previous_secret', sealedPreviousSecret))
    const alone = [current]
    const both = previous === null ? alone : [current, previous]
    const webhook = {
      ...rest,
      isAllowed: ipRestriction.length === 0 ? undefined : addressMatcher(ipRestriction),
      secrets: (now: Date) => (previousSecretUntil !== null && previousSecretUntil > now ? both : alone),
      custom: signature === null ? undefined : customFormat(signature),
      seal: await keyRing.sealerFor(rest.accountId),
    }
    if (this.#remembered.size >= entriesMax) this.#remembered.clear()
    this.#remembered.set(workflowId, { webhook, until: performance.now() + rememberedMs })
    return webhook
  }
}
