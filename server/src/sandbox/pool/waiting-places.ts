import { AppError } from '../../lib/app-error.ts'
import { FairQueue, type Owner } from '../../lib/fair-queue.ts'
import { FairShares } from '../../lib/fair-shares.ts'

/** To be called when the script waits no longer. */
type Leave = () => void

type Outsider = Owner & { admit(leave: Leave): void; refuse(error: Error): void }

/**
 * How many scripts may wait for a process, with all that they are given. Half of the places, and those of one organization three quarters, are the
 * most that one account may take. Whoever has time stands outside until there is one.
 */
export class WaitingPlaces {
  readonly #shares: FairShares
  readonly #outside = new FairQueue<Outsider>()

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

  /** Throws when there is no place. */
  take(owner: Owner): Leave {
    const refusal = this.#shares.refusalOf(holderOf(owner), 1)
    if (refusal === 'own')
      throw new AppError(
        'too_many_requests',
        'Too many scripts of this account are waiting. Wait for some of them to end.',
      )
    if (refusal) throw new AppError('not_ready', 'Too many scripts are waiting. Try again in a moment.')
    return this.#occupy(owner)
  }

  /** Undefined when there is no place, or others of the account stand outside already. */
  takeIfFree(owner: Owner): Leave | undefined {
    return this.#outside.first(owner) || this.#shares.refusalOf(holderOf(owner), 1) ? undefined : this.#occupy(owner)
  }

  /** Stands outside until there is a place. Undefined when one of the signals comes before. */
  async waitForOne(
    { organizationId, accountId }: Owner,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<Leave | undefined> {
    if (signals.some((signal) => signal?.aborted)) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<Leave | undefined>()
    const outsider: Outsider = { organizationId, accountId, admit: resolve, refuse: reject }
    const giveUp = () => {
      if (this.#outside.remove(outsider)) resolve(undefined)
    }
    this.#outside.add(outsider)
    for (const signal of signals) signal?.addEventListener('abort', giveUp)
    try {
      return await promise
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', giveUp)
    }
  }

  refuseOutsiders(error: Error): void {
    for (const outsider of this.#outside.takeAll()) outsider.refuse(error)
  }

  #occupy(owner: Owner): Leave {
    const holder = holderOf(owner)
    this.#shares.take(holder, 1)
    let isWaiting = true
    return () => {
      if (!isWaiting) return
      isWaiting = false
      this.#shares.give(holder, 1)
      this.#letIn()
    }
  }

  #letIn(): void {
    for (;;) {
      const owner = this.#outside.next((one) => this.#shares.refusalOf(holderOf(one), 1) === undefined)
      if (!owner) return
      this.#outside.take(owner)?.admit(this.#occupy(owner))
    }
  }
}

function holderOf({ accountId, organizationId }: Owner): string[] {
  return [accountId, organizationId]
}
