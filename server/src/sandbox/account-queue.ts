/**
 * Work that waits, by account. Accounts take turns, so that a long row of one is not in the way of another; a turn is several pieces long,
 * because work of one account after the other finds its isolate warm.
 */
const TURN_LENGTH = 8
const LOOK_AHEAD = 64

export class AccountQueue<Work extends { readonly accountId: string }> {
  /** In the order of turns: the first has its turn, and goes to the end after it. */
  readonly #rows = new Map<string, Work[]>()
  #size = 0
  #turn = { accountId: '', left: 0 }

  get size(): number {
    return this.#size
  }

  add(work: Work): void {
    const row = this.#rows.get(work.accountId)
    if (row) row.push(work)
    else this.#rows.set(work.accountId, [work])
    this.#size++
  }

  /** What was taken and could not be done waits in front of all others of its account. */
  putBack(work: Work): void {
    const row = this.#rows.get(work.accountId)
    if (row) row.unshift(work)
    else this.#rows.set(work.accountId, [work])
    this.#size++
  }

  /** The account that has its turn, or the first one after it that may go on. */
  next(mayGoOn: (accountId: string) => boolean = () => true): string | undefined {
    for (const accountId of this.#rows.keys()) if (mayGoOn(accountId)) return accountId
    return undefined
  }

  /** Of the first pieces of the account's work the one with the lowest rank, the longest waiting among equals; none if it is over the highest. */
  take(
    accountId: string,
    rankOf: (work: Work) => number = () => 0,
    rankMax = Number.POSITIVE_INFINITY,
  ): Work | undefined {
    const row = this.#rows.get(accountId)
    if (!row) return undefined
    let best = 0
    let bestRank = Number.POSITIVE_INFINITY
    for (let index = 0; index < Math.min(row.length, LOOK_AHEAD) && bestRank > 0; index++) {
      const rank = rankOf(row[index] as Work)
      if (rank < bestRank) [best, bestRank] = [index, rank]
    }
    if (bestRank > rankMax) return undefined
    const work = row.splice(best, 1)[0] as Work
    if (this.#turn.accountId !== accountId || this.#turn.left === 0) this.#turn = { accountId, left: TURN_LENGTH }
    this.#size--
    this.#turn.left--
    if (this.#turn.left === 0 || row.length === 0) this.#rows.delete(accountId)
    if (this.#turn.left === 0 && row.length > 0) this.#rows.set(accountId, row)
    return work
  }

  /** Others go first now, whatever was left of the account's turn. */
  endTurn(accountId: string): void {
    const row = this.#rows.get(accountId)
    if (!row) return
    this.#rows.delete(accountId)
    this.#rows.set(accountId, row)
    if (this.#turn.accountId === accountId) this.#turn.left = 0
  }

  takeAll(): Work[] {
    const all = [...this.#rows.values()].flat()
    this.#rows.clear()
    this.#size = 0
    return all
  }
}
