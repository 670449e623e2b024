// Bytes of JSON bodies with keys, from the first one that arrives until the request is answered. Whoever has its share is refused before its body
// is read.
import type { Principal } from '../../access/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { FairShares } from '../../lib/fair-shares.ts'

const MiB = 1024 * 1024
/** Smaller bodies are bounded by the number of requests. */
export const countedBodyMin = 64 * 1024

export class BodyRoom {
  /** By account, by organization. */
  readonly #bytes = new FairShares({
    all: 384 * MiB,
    crowdedFrom: 256 * MiB,
    levels: [
      { max: 96 * MiB, maxWhenCrowded: 64 * MiB },
      { max: 192 * MiB, maxWhenCrowded: 64 * MiB },
    ],
  })

  get heldBytes(): number {
    return this.#bytes.used
  }

  /** Throws when there is no room; else gives what to call when the bytes are gone. Routes that know no principal count by key pair. */
  take(principal: Principal | undefined, consumer: unknown, bytes: number): () => void {
    const holder = principal
      ? [principal.account.id, principal.account.organizationId]
      : [String(consumer), 'known by their keys']
    const refusal = this.#bytes.take(holder, bytes)
    if (refusal === 'own')
      throw new AppError(
        'too_many_requests',
        'This account has too many large requests in progress. Wait for some of them to finish.',
      )
    if (refusal) throw new AppError('not_ready', 'The service is busy with large requests. Try again in a moment.')
    return () => this.#bytes.give(holder, bytes)
  }
}
