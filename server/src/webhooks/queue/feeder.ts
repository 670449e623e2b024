/**
 * Sees to it that whatever can start does.
 *
 *   idle ─(an account was woken, or a second passed)─► feed it ─► idle; once more if it was woken meanwhile
 *
 * Accounts are woken by accepted requests, ended runs and changed settings of this process and, through the database, of others. Waking is
 * a hint: what nobody woke is found by the sweep.
 */
import { type Database, sql } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'
import { type FeedDeps, feedAccount } from './feed.ts'
import { listWaitingAccounts } from './feed-store.ts'

const sweepMs = 1000
const accountsAtOnceMax = 3
const againMs = 5
/** An account with its whole share in hand has work for longer than this: what is done meanwhile is made good in one go. */
const fullGapMs = 10
const channel = 'patchbay_webhooks'
const namedAtOnce = 200

type State = {
  isFeeding: boolean
  isWoken: boolean
  /** Until something of it is done, new requests change nothing. */
  isFull: boolean
  notBefore: number
}

export class Feeder implements AsyncDisposable {
  readonly #deps: FeedDeps & { onFault(error: unknown): void }
  readonly #accounts = new Map<string, State>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #sweeping: Recurring
  #listening: { close(): Promise<void> } | undefined
  #later: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(deps: FeedDeps & { onFault(error: unknown): void }) {
    this.#deps = deps
    this.#sweeping = new Recurring(() => this.#wakeWaiting(), { pauseMs: sweepMs, onFault: deps.onFault })
  }

  async start(): Promise<void> {
    this.#listening = await this.#deps.database.listen(
      channel,
      (accounts) => {
        for (const accountId of accounts.split(' ')) this.wake(accountId)
      },
      () => {},
    )
    this.#sweeping.startNow()
  }

  /** `hasRoom`: something of the account was done, so that more can start. */
  wake(accountId: string, hasRoom = false): void {
    const state = this.#accounts.get(accountId) ?? { isFeeding: false, isWoken: false, isFull: false, notBefore: 0 }
    if (hasRoom) state.isFull = false
    if (state.isFull || this.#isStopping) return
    state.isWoken = true
    this.#accounts.set(accountId, state)
    const waitMs = state.notBefore - performance.now()
    if (waitMs > 0) this.#later ??= setTimeout(() => this.#afterGap(), waitMs)
    else this.#next()
  }

  /** Something of the account was done, but nothing waits. */
  makeRoom(accountId: string): void {
    const state = this.#accounts.get(accountId)
    if (!state) return
    state.isFull = false
    // What is being fed may have been counted before this, and find no room.
    if (state.isFeeding) state.isWoken = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#later)
    await this.#listening?.close()
    await this.#sweeping[Symbol.asyncDispose]()
    await Promise.all(this.#underWay)
  }

  #afterGap(): void {
    this.#later = undefined
    for (const [accountId, state] of this.#accounts) if (state.isWoken) this.wake(accountId)
  }

  #next(): void {
    for (const [accountId, state] of this.#accounts) {
      if (this.#underWay.size >= accountsAtOnceMax || this.#isStopping) return
      if (!state.isWoken || state.isFeeding || state.notBefore > performance.now()) continue
      state.isWoken = false
      state.isFeeding = true
      const feeding = this.#feed(accountId, state).finally(() => {
        this.#underWay.delete(feeding)
        state.isFeeding = false
        // Those that were waiting longest come first the next time.
        this.#accounts.delete(accountId)
        if (state.isWoken || state.isFull) this.#accounts.set(accountId, state)
        if (state.isWoken && state.notBefore > 0) this.#later ??= setTimeout(() => this.#afterGap(), fullGapMs)
        this.#next()
      })
      this.#underWay.add(feeding)
    }
  }

  async #feed(accountId: string, state: State): Promise<void> {
    try {
      const result = await feedAccount(this.#deps, accountId)
      state.isFull = result === 'full' && !state.isWoken
      state.notBefore = result === 'full' ? performance.now() + fullGapMs : 0
      if (result === 'busy') setTimeout(() => this.wake(accountId), againMs)
    } catch (error) {
      this.#deps.onFault(error)
    }
  }

  async #wakeWaiting(): Promise<void> {
    for (const accountId of await listWaitingAccounts(this.#deps.database.system)) this.wake(accountId, true)
  }
}

/** For processes that start nothing themselves: tells those that do, at once, and all accounts that are named meanwhile together. */
export class RemoteFeeder {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #accounts = new Set<string>()
  #isTelling = false

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  wake(accountId: string): void {
    this.#accounts.add(accountId)
    if (!this.#isTelling) void this.#tell()
  }

  async #tell(): Promise<void> {
    this.#isTelling = true
    while (this.#accounts.size > 0) {
      // A message holds less than 8000 bytes; who is left out is named by the next one.
      const named = [...this.#accounts].slice(0, namedAtOnce)
      for (const accountId of named) this.#accounts.delete(accountId)
      await this.#database.system.query(sql`select pg_notify(${channel}, ${named.join(' ')})`).catch(this.#onFault)
    }
    this.#isTelling = false
  }
}
