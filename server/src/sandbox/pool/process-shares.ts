import type { Owner } from '../../lib/fair-queue.ts'
import type { PoolLimits } from './pool-options.ts'
import { Tally } from './tally.ts'

/**
 * How many processes the scripts of one organization, and of one account in it, may hold. A script that sleeps or waits cannot leave its
 * process, so it counts against its organization: that may hold three quarters of what the others do not, and each of its accounts three
 * quarters of what the other accounts of the organization do not. However many of them sleep, a part is always left for the next one, and an
 * organization that holds none gets one even when all are taken.
 */
const SHARE = 3 / 4

export class ProcessShares {
  readonly #limits: PoolLimits
  readonly #byOrganization = new Tally()
  readonly #byAccount = new Tally()
  #held = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  count({ organizationId, accountId }: Owner, change: 1 | -1): void {
    this.#held += change
    this.#byOrganization.add(organizationId, change)
    this.#byAccount.add(accountId, change)
  }

  holdsNone({ organizationId }: Owner): boolean {
    return this.#byOrganization.of(organizationId) === 0
  }

  mayHoldAnother(owner: Owner): boolean {
    if (this.holdsNone(owner)) return true
    const byOrganization = this.#byOrganization.of(owner.organizationId)
    const organizationMax = this.#shareOf(this.#limits.processesMax - (this.#held - byOrganization))
    if (byOrganization >= organizationMax) return false
    const byAccount = this.#byAccount.of(owner.accountId)
    return (
      byAccount < (this.#limits.processesPerAccount ?? this.#shareOf(organizationMax - (byOrganization - byAccount)))
    )
  }

  /** At least one, and as many as compute at a time as long as that leaves one to others. */
  #shareOf(available: number): number {
    return Math.max(1, Math.floor(available * SHARE), Math.min(this.#limits.size, available - 1))
  }
}
