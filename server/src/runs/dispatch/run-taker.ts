/**
 * Takes runs from the queue: the oldest ones as long as there is room for all, and by turns once more wait than there are slots, or an account
 * has its full share in hand.
 */
import type { Queryable } from '../../db/index.ts'
import { type TakenJob, takeOfGroups, takeOldest } from '../../queue/index.ts'
import { runQueue } from '../run.ts'
import { planFetch } from './fair-share.ts'
import { Turns } from './turns.ts'
import { WaitingAccounts } from './waiting-accounts.ts'

/** `first`: accounts whose runs go before what is in hand. */
export type TakenRuns = { jobs: TakenJob[]; first: ReadonlySet<string> }

export class RunTaker {
  readonly #db: Queryable
  readonly #slots: number
  readonly #waiting: WaitingAccounts
  readonly #turns: Turns
  #isHungry = false

  constructor(db: Queryable, slots: number) {
    this.#db = db
    this.#slots = slots
    this.#waiting = new WaitingAccounts(db)
    this.#turns = new Turns(slots)
  }

  /** More waits than was taken. */
  get isHungry(): boolean {
    return this.#isHungry
  }

  /** `inHand`: runs by account. Undefined when there is no room. */
  async take(inHand: ReadonlyMap<string, number>): Promise<TakenRuns | undefined> {
    const plan = planFetch(this.#slots, inHand)
    if (!plan) return undefined
    if (this.#isHungry || plan.hasFullShare) return this.#takeInTurns(inHand)
    const jobs = await takeOldest(this.#db, runQueue, plan.count)
    this.#isHungry = jobs.length === plan.count
    return { jobs, first: new Set() }
  }

  async #takeInTurns(inHand: ReadonlyMap<string, number>): Promise<TakenRuns> {
    const waiting = await this.#waiting.list()
    const { takes, first } = this.#turns.plan(waiting, inHand)
    const wanted = takes.map(({ accountId, count }) => ({ groupId: accountId, count }))
    const jobs = takes.length === 0 ? [] : await takeOfGroups(this.#db, runQueue, wanted)
    const taken = new Map<string, number>()
    for (const { group_id } of jobs) taken.set(group_id ?? '', (taken.get(group_id ?? '') ?? 0) + 1)
    this.#isHungry = this.#waiting.noteTaken(takes, taken)
    return { jobs, first }
  }
}
