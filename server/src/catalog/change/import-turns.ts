// Reading an import keeps a processor busy, for half a minute at worst. A process reads two at a time, of different organizations, and the
// organizations take turns: whoever brings many waits for itself.
import { AppError } from '../../lib/app-error.ts'
import type { Owner } from '../../lib/fair-queue.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { FairShares } from '../../lib/fair-shares.ts'

export class ImportTurns {
  readonly #reading = new FairRoom(
    {
      all: 2,
      crowdedFrom: 2,
      levels: [
        { max: 1, maxWhenCrowded: 1 },
        { max: 1, maxWhenCrowded: 1 },
      ],
    },
    1,
  )
  /** Being read and waiting. */
  readonly #open = new FairShares({
    all: 40,
    crowdedFrom: 30,
    levels: [
      { max: 10, maxWhenCrowded: 2 },
      { max: 10, maxWhenCrowded: 2 },
    ],
  })

  async take<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    const holder = [owner.accountId, owner.organizationId]
    const refusal = this.#open.take(holder, 1)
    if (refusal === 'own')
      throw new AppError(
        'too_many_requests',
        'This account or organization has too many imports in progress. Try again in a moment.',
      )
    if (refusal) throw new AppError('not_ready', 'Too many imports are in progress. Try again in a moment.')
    try {
      const turn = await this.#reading.enter(owner, 1, () => new AbortController().signal)
      try {
        return await work()
      } finally {
        turn.leave()
      }
    } finally {
      this.#open.give(holder, 1)
    }
  }
}
