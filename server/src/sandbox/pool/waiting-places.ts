import { AppError } from '../../lib/app-error.ts'
import type { Owner } from '../../lib/fair-queue.ts'
import { FairShares } from '../../lib/fair-shares.ts'

/** Says nothing about the script: whoever is not in a hurry asks again later. */
export class NoWaitingPlaceError extends AppError {}

/** How many scripts may wait for a process. Half of the places, and those of one organization three quarters, are the most that one account may take. */
export class WaitingPlaces {
  readonly #shares: FairShares

  constructor(all: number) {
    const part = (share: number) => Math.max(1, Math.floor(all * share))
    this.#shares = new FairShares({
      all,
      crowdedFrom: part(0.9),
      levels: [
        { max: part(0.5), maxWhenCrowded: part(0.05) },
        { max: part(0.75), maxWhenCrowded: part(0.1) },
      ],
    })
  }

  /** Throws when there is none; else gives what to call when the script waits no longer. */
  take({ accountId, organizationId }: Owner): () => void {
    const holder = [accountId, organizationId]
    const refusal = this.#shares.take(holder, 1)
    if (refusal === 'own')
      throw new NoWaitingPlaceError(
        'too_many_requests',
        'Too many scripts of this account are waiting. Wait for some of them to end.',
      )
    if (refusal) throw new NoWaitingPlaceError('not_ready', 'Too many scripts are waiting. Try again in a moment.')
    let isWaiting = true
    return () => {
      if (isWaiting) this.#shares.give(holder, 1)
      isWaiting = false
    }
  }
}
