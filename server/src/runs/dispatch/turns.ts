/**
 * Whose runs a worker takes next when more wait than it has slots for.
 *
 *  - Organizations take turns, and so do the accounts of each: whoever was served longest ago is next, however long the rows of others are.
 *  - A turn is several runs long: scripts of one account after the other find its isolate warm, and to make one costs more than most runs.
 *  - An account that has nothing in hand and whose runs have only just begun to wait goes first. Such accounts get at most half of what is
 *    taken, so that turns go on, and a few slots are kept free for them.
 */
export type WaitingAccount = {
  accountId: string
  organizationId: string
  /** Of its oldest run. */
  waitedMs: number
  /** How many of its runs wait, as far as they were counted: a whole turn at most. */
  count: number
}

export type TurnsPlan = {
  takes: { accountId: string; count: number }[]
  /** Those of them that go first, also before what is in hand already. */
  first: Set<string>
}

export const turnLength = 8
/** Of the slots, what one turn may take. */
const turnShare = 1 / 8
/** Runs that have waited no longer than this have only just begun to. */
export const freshMs = 5000
/** Of the slots, what is kept for those who go first. */
const keptShare = 1 / 8
const rememberedMax = 50_000

export class Turns {
  readonly #slots: number
  /** When an account or organization had its last turn, counted in turns. */
  readonly #lastTurn = new Map<string, number>()
  #turn = 0

  constructor(slots: number) {
    this.#slots = slots
  }

  plan(waiting: readonly WaitingAccount[], inHand: ReadonlyMap<string, number>): TurnsPlan {
    let used = 0
    for (const count of inHand.values()) used += count
    const free = Math.max(0, this.#slots - used)
    const fresh = waiting.filter(({ accountId, waitedMs }) => waitedMs < freshMs && !inHand.has(accountId))
    const freshMax = Math.ceil(free / 2)
    const first = this.#inTurn(fresh).slice(0, freshMax)
    // To go first is a turn too. Otherwise the same few would be first every time.
    for (const one of first) this.#serve(one)
    const takes = new Map(first.map(({ accountId }) => [accountId, 1]))
    const usual = Math.min(free - first.length, free - Math.ceil(this.#slots * keptShare))
    this.#shareOut(waiting, inHand, takes, usual)
    this.#forget(waiting)
    return {
      takes: [...takes].map(([accountId, count]) => ({ accountId, count })),
      first: new Set(first.map(({ accountId }) => accountId)),
    }
  }

  /** One turn each, round after round, until nothing is left or everybody has a full share. */
  #shareOut(
    waiting: readonly WaitingAccount[],
    inHand: ReadonlyMap<string, number>,
    takes: Map<string, number>,
    places: number,
  ): void {
    const accounts = new Set([...inHand.keys(), ...waiting.map(({ accountId }) => accountId)])
    const turn = Math.min(turnLength, Math.max(1, Math.floor(this.#slots * turnShare)))
    const shareMax = Math.max(turn, Math.floor(this.#slots / (accounts.size + 1)))
    let left = places
    let open = [...waiting]
    while (left > 0 && open.length > 0) {
      const next: WaitingAccount[] = []
      for (const one of this.#inTurn(open)) {
        const taken = takes.get(one.accountId) ?? 0
        // Of whoever had a whole turn waiting, there may be more.
        const known = one.count < turnLength ? one.count - taken : turn
        const count = Math.min(turn, known, shareMax - taken - (inHand.get(one.accountId) ?? 0), left)
        if (count <= 0) continue
        takes.set(one.accountId, taken + count)
        left -= count
        this.#serve(one)
        next.push(one)
      }
      open = next
    }
  }

  /** One account of each organization after the other. */
  #inTurn(accounts: readonly WaitingAccount[]): WaitingAccount[] {
    const rows = [...Map.groupBy(accounts, ({ organizationId }) => organizationId)]
      .map(([id, row]) => ({ id, row: row.toSorted((a, b) => this.#turnOf(a.accountId) - this.#turnOf(b.accountId)) }))
      .sort((a, b) => this.#turnOf(a.id) - this.#turnOf(b.id))
    const order: WaitingAccount[] = []
    for (let place = 0; order.length < accounts.length; place++)
      for (const { row } of rows) order.push(...row.slice(place, place + 1))
    return order
  }

  #serve({ accountId, organizationId }: WaitingAccount): void {
    this.#lastTurn.set(accountId, ++this.#turn)
    this.#lastTurn.set(organizationId, this.#turn)
  }

  #turnOf(id: string): number {
    return this.#lastTurn.get(id) ?? 0
  }

  #forget(waiting: readonly WaitingAccount[]): void {
    if (this.#lastTurn.size < rememberedMax) return
    const kept = new Set(waiting.flatMap(({ accountId, organizationId }) => [accountId, organizationId]))
    for (const id of this.#lastTurn.keys()) if (!kept.has(id)) this.#lastTurn.delete(id)
  }
}
