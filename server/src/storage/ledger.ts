/**
 * How much each account has stored, and whether there is room for more. Writers tell what they wrote; every few seconds it is added to the database,
 * and it is looked up who has no room left. Asking costs nothing, and an account can go over its quota by what it writes in these seconds.
 */
import type { Database } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import { Recurring } from '../lib/recurring.ts'
import { type DiskSpace, floorOf } from './disk-space.ts'
import { addStored, claimMeasure, listFull, measureAll } from './store.ts'

export type StorageLimits = {
  accountBytesMax: number
  organizationBytesMax: number
  /** Absent: a tenth of the disk, and at most 5 GiB. */
  diskFloorBytes: number | undefined
}

type Deps = {
  database: Database
  limits: StorageLimits
  diskSpace(): Promise<DiskSpace>
  onFault(error: unknown): void
}

const lookMs = 2000
const measureMs = 6 * 3_600_000
/** While somebody has no room left, which deleting would give back. */
const measureFullMs = 60_000

export class StorageLedger implements AsyncDisposable {
  readonly #deps: Deps
  readonly #looking: Recurring
  #added = new Map<string, number>()
  #fullAccounts: ReadonlySet<string> = new Set()
  #fullOrganizations: ReadonlySet<string> = new Set()
  #isDiskLow = false
  #disk: (DiskSpace & { floorBytes: number }) | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault: deps.onFault })
  }

  async start(): Promise<void> {
    await this.#look()
    this.#looking.start()
  }

  /** Something of the account was stored. */
  add(accountId: string, bytes: number): void {
    this.#added.set(accountId, (this.#added.get(accountId) ?? 0) + bytes)
  }

  /** The disk of the data directory, as last seen. Below its floor no new work is taken. */
  get disk(): (DiskSpace & { floorBytes: number }) | undefined {
    return this.#disk
  }

  /** False when new work must wait: what is under way goes on to its end. */
  get hasDisk(): boolean {
    return !this.#isDiskLow
  }

  hasRoom(accountId: string): boolean {
    return this.hasDisk && !this.#fullAccounts.has(accountId) && !this.#fullOrganizations.has(accountId)
  }

  /** Throws when nothing more of the account may be stored. */
  requireRoom(accountId: string): void {
    if (this.#isDiskLow)
      throw new AppError('not_ready', 'The service is low on disk space and accepts no new work. Try again later.')
    this.requireQuota(accountId)
  }

  /** For what is under way: it goes on while the disk is low, but not beyond the quota. */
  requireQuota(accountId: string): void {
    const { accountBytesMax, organizationBytesMax } = this.#deps.limits
    if (this.#fullAccounts.has(accountId)) throw quotaUsed('account', accountBytesMax)
    if (this.#fullOrganizations.has(accountId)) throw quotaUsed('organization', organizationBytesMax)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking[Symbol.asyncDispose]()
    await this.#flush().catch(this.#deps.onFault)
  }

  async #look(): Promise<void> {
    const { database, limits, diskSpace } = this.#deps
    const space = await diskSpace()
    const floorBytes = limits.diskFloorBytes ?? floorOf(space)
    this.#isDiskLow = space.freeBytes < floorBytes
    this.#disk = { ...space, floorBytes }
    await this.#flush()
    if (await claimMeasure(database.system, measureMs)) await measureAll(database.system)
    let full = await listFull(database.system, limits)
    // Counting does not know what was replaced or deleted, so nobody is refused by it alone.
    const isSomeoneFull = full.accountIds.length + full.organizationAccountIds.length > 0
    if (isSomeoneFull && (await claimMeasure(database.system, measureFullMs))) {
      await measureAll(database.system)
      full = await listFull(database.system, limits)
    }
    this.#fullAccounts = new Set(full.accountIds)
    this.#fullOrganizations = new Set(full.organizationAccountIds)
  }

  async #flush(): Promise<void> {
    if (this.#added.size === 0) return
    const added = this.#added
    this.#added = new Map()
    try {
      await addStored(this.#deps.database.system, added)
    } catch (error) {
      for (const [accountId, bytes] of added) this.add(accountId, bytes)
      throw error
    }
  }
}

function quotaUsed(whose: 'account' | 'organization', bytesMax: number): AppError {
  const mebibytes = Math.round(bytesMax / 1_048_576)
  return new AppError(
    'storage_full',
    `This ${whose} has used up its storage quota of ${mebibytes} MiB. Delete workflows or shares, or ask the operator to raise the quota or keep runs for fewer days.`,
  )
}
