/**
 * Work that waits. Organizations take turns, and so do the accounts of each of them, so that a long row of one, or many accounts of one, are
 * not in the way of another. A turn is several pieces long by default, because work of one account after the other finds its isolate warm.
 * Work that goes first does not wait for its turn.
 */
const TURN_LENGTH = 8
const LOOK_AHEAD = 64

/** Whose work it is. */
export type Owner = { readonly organizationId: string; readonly accountId: string }

export class FairQueue<Work extends Owner> {
  /** Rows of accounts by organization. Both in the order of turns: the first has its turn, and goes to the end after it. */
  readonly #organizations = new Map<string, Map<string, Work[]>>()
  #first: Owner[] = []
  #size = 0
  #turn = { organizationId: '', left: 0 }
  readonly #turnLength: number

  constructor(turnLength = TURN_LENGTH) {
    this.#turnLength = turnLength
  }

  get size(): number {
    return this.#size
  }

  add(work: Work, goesFirst = false): void {
    const row = this.#rowOf(work)
    if (goesFirst) {
      row.unshift(work)
      this.#first.push({ organizationId: work.organizationId, accountId: work.accountId })
    } else row.push(work)
    this.#size++
  }

  /** What was taken and could not be done waits in front of all others of its account. */
  putBack(work: Work): void {
    this.#rowOf(work).unshift(work)
    this.#size++
  }

  /** The account that has its turn, or the first one after it that may go on. */
  next(mayGoOn: (owner: Owner) => boolean = () => true): Owner | undefined {
    const first = this.#first.find(mayGoOn)
    if (first) return first
    for (const [organizationId, rows] of this.#organizations) {
      for (const accountId of rows.keys()) {
        const owner = { organizationId, accountId }
        if (mayGoOn(owner)) return owner
      }
    }
    return undefined
  }

  /** Of the first pieces of the account's work the one with the lowest rank, the longest waiting among equals; none if it is over the highest. */
  take(owner: Owner, rankOf: (work: Work) => number = () => 0, rankMax = Number.POSITIVE_INFINITY): Work | undefined {
    const row = this.#organizations.get(owner.organizationId)?.get(owner.accountId)
    if (!row) return undefined
    let best = 0
    let bestRank = Number.POSITIVE_INFINITY
    for (let index = 0; index < Math.min(row.length, LOOK_AHEAD) && bestRank > 0; index++) {
      const rank = rankOf(row[index] as Work)
      if (rank < bestRank) [best, bestRank] = [index, rank]
    }
    if (bestRank > rankMax) return undefined
    const work = row.splice(best, 1)[0] as Work
    this.#size--
    this.#forgetFirst(owner)
    this.#countTurn(owner, row.length === 0)
    return work
  }

  /** What of the account has waited longest. */
  first({ organizationId, accountId }: Owner): Work | undefined {
    return this.#organizations.get(organizationId)?.get(accountId)?.[0]
  }

  /** Whoever gave up waits no longer. False when it did not wait. */
  remove(work: Work): boolean {
    const rows = this.#organizations.get(work.organizationId)
    const row = rows?.get(work.accountId)
    const index = row?.indexOf(work) ?? -1
    if (!rows || !row || index === -1) return false
    row.splice(index, 1)
    this.#size--
    // As many go first as are left at most: otherwise somebody without work would have the turn for ever.
    const goingFirst = this.#first.filter(({ accountId }) => accountId === work.accountId).length
    if (goingFirst > row.length) this.#forgetFirst(work)
    if (row.length === 0) rows.delete(work.accountId)
    if (rows.size === 0) this.#organizations.delete(work.organizationId)
    return true
  }

  /** Others go first now, whatever was left of the account's turn. */
  endTurn(owner: Owner): void {
    if (!this.#organizations.get(owner.organizationId)?.has(owner.accountId)) return
    this.#toEnd(owner)
    if (this.#turn.organizationId === owner.organizationId) this.#turn.left = 0
  }

  takeAll(): Work[] {
    const all = [...this.#organizations.values()].flatMap((rows) => [...rows.values()].flat())
    this.#organizations.clear()
    this.#first = []
    this.#size = 0
    return all
  }

  #forgetFirst(owner: Owner): void {
    const place = this.#first.findIndex(({ accountId }) => accountId === owner.accountId)
    if (place !== -1) this.#first.splice(place, 1)
  }

  #rowOf({ organizationId, accountId }: Owner): Work[] {
    const rows = this.#organizations.get(organizationId) ?? new Map<string, Work[]>()
    const row = rows.get(accountId) ?? []
    if (row.length === 0) rows.set(accountId, row)
    if (rows.size === 1) this.#organizations.set(organizationId, rows)
    return row
  }

  #countTurn(owner: Owner, isRowEmpty: boolean): void {
    const { organizationId, accountId } = owner
    if (this.#turn.organizationId !== organizationId || this.#turn.left === 0)
      this.#turn = { organizationId, left: this.#turnLength }
    this.#turn.left--
    if (isRowEmpty) {
      const rows = this.#organizations.get(organizationId)
      rows?.delete(accountId)
      if (rows?.size === 0) this.#organizations.delete(organizationId)
    }
    if (this.#turn.left === 0) this.#toEnd(owner)
  }

  #toEnd({ organizationId, accountId }: Owner): void {
    const rows = this.#organizations.get(organizationId)
    if (!rows) return
    this.#organizations.delete(organizationId)
    this.#organizations.set(organizationId, rows)
    const row = rows.get(accountId)
    if (!row) return
    rows.delete(accountId)
    rows.set(accountId, row)
  }
}
