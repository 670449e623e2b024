/**
 * Which accounts have runs that wait. Asking costs in proportion to their number, so it is done in proportion to what it cost: what was learnt
 * serves for several fetches, and accounts that turn out to have nothing left are dropped from it. Whoever has only just begun to wait is asked for
 * every time, because they go first.
 */
import { type Queryable, sql } from '../../db/index.ts'
import { listNewestGroups, listWaitingGroups, type WaitingGroup } from '../../queue/index.ts'
import { runQueue } from '../run.ts'
import { freshMs, turnLength, type WaitingAccount } from './turns.ts'

const accountsMax = 20_000
const againMsMin = 25
/** Of a worker's time, at most this part goes into asking. */
const askingShare = 1 / 10
const organizationsKept = 100_000
/** Of the runs that were filed last, so many are looked at. */
const newestMax = 64

export class WaitingAccounts {
  readonly #db: Queryable
  readonly #organizations = new Map<string, string>()
  #accounts: WaitingAccount[] = []
  #askedAt = Number.NEGATIVE_INFINITY
  #tookMs = 0

  constructor(db: Queryable) {
    this.#db = db
  }

  async list(): Promise<readonly WaitingAccount[]> {
    const now = performance.now()
    // Nobody may be left of those who were remembered, although others wait by now.
    const isFresh = this.#accounts.length > 0 && now - this.#askedAt < Math.max(againMsMin, this.#tookMs / askingShare)
    if (isFresh) {
      await this.#addNewcomers()
      return this.#accounts
    }
    this.#accounts = await this.#withOrganizations(
      await listWaitingGroups(this.#db, runQueue, { groupsMax: accountsMax, countMax: turnLength }),
    )
    this.#askedAt = performance.now()
    this.#tookMs = this.#askedAt - now
    return this.#accounts
  }

  async #addNewcomers(): Promise<void> {
    const newest = await listNewestGroups(this.#db, runQueue, { withinMs: freshMs, jobsMax: newestMax })
    const known = new Set(this.#accounts.map(({ accountId }) => accountId))
    this.#accounts.push(...(await this.#withOrganizations(newest.filter(({ groupId }) => !known.has(groupId)))))
  }

  async #withOrganizations(groups: readonly WaitingGroup[]): Promise<WaitingAccount[]> {
    await this.#learnOrganizations(groups.map(({ groupId }) => groupId))
    return groups.map(({ groupId, waitedMs, count }) => ({
      accountId: groupId,
      organizationId: this.#organizations.get(groupId) ?? '',
      waitedMs,
      count: Math.min(count, turnLength),
    }))
  }

  /** Those that had fewer than were asked for, or no more than were counted, have none left. Returns whether anybody has. */
  noteTaken(asked: readonly { accountId: string; count: number }[], taken: ReadonlyMap<string, number>): boolean {
    const counts = new Map(asked.map(({ accountId, count }) => [accountId, count]))
    this.#accounts = this.#accounts.flatMap((account) => {
      const wanted = counts.get(account.accountId)
      if (wanted === undefined) return [account]
      if ((taken.get(account.accountId) ?? 0) < wanted) return []
      if (account.count === turnLength) return [account]
      return account.count > wanted ? [{ ...account, count: account.count - wanted }] : []
    })
    return this.#accounts.length > 0
  }

  async #learnOrganizations(accountIds: readonly string[]): Promise<void> {
    if (this.#organizations.size > organizationsKept) this.#organizations.clear()
    const unknown = accountIds.filter((id) => !this.#organizations.has(id))
    if (unknown.length === 0) return
    const { rows } = await this.#db.query<{ id: string; organization_id: string }>(
      sql`select id, organization_id from accounts where id = any(${unknown}::uuid[])`,
    )
    for (const { id, organization_id } of rows) this.#organizations.set(id, organization_id)
  }
}
