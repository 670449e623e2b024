// Places for requests that are worked on. Those with keys, those without and those of webhooks have rooms of their own, so that strangers
// never take the place of a customer; within each room nobody takes more than a share.
import type { Principal } from '../../access/index.ts'
import { networkOf } from '../../lib/address-network.ts'
import { AppError } from '../../lib/app-error.ts'
import { FairShares, type ShareRefusal } from '../../lib/fair-shares.ts'

/** Gives the place back; once. */
export type Leave = () => void

export class Places {
  /** By account, by organization. */
  readonly #keyed = new FairShares({
    all: 2000,
    crowdedFrom: 1500,
    levels: [
      { max: 500, maxWhenCrowded: 50 },
      { max: 1000, maxWhenCrowded: 100 },
    ],
  })
  /** By address. */
  readonly #unkeyed = new FairShares({ all: 500, crowdedFrom: 375, levels: [{ max: 128, maxWhenCrowded: 8 }] })
  /** By account, by address. */
  readonly #webhooks = new FairShares({
    all: 2000,
    crowdedFrom: 1500,
    levels: [
      { max: 1000, maxWhenCrowded: 100 },
      { max: 1000, maxWhenCrowded: 100 },
    ],
  })

  /** Throws when there is none. */
  forAccount({ account }: Principal): Leave {
    return take(this.#keyed, [account.id, account.organizationId], 'This account')
  }

  forStranger(address: string): Leave {
    return take(this.#unkeyed, [networkOf(address)], 'Your address')
  }

  forWebhook(accountId: string, address: string): Leave {
    return take(this.#webhooks, [accountId, networkOf(address)], 'This webhook')
  }
}

function take(room: FairShares, holder: readonly string[], who: string): Leave {
  const refusal = room.take(holder, 1)
  if (refusal) throw noPlace(refusal, who)
  return () => room.give(holder, 1)
}

export function noPlace(refusal: ShareRefusal, who: string): AppError {
  return refusal === 'own'
    ? new AppError('too_many_requests', `${who} has too many requests in progress. Wait for some of them to finish.`)
    : new AppError('not_ready', 'The service is busy. Try again in a moment.')
}
