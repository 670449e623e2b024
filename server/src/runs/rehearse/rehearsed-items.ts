// The items of a run that is run again: kept in memory until they are compared, and nowhere else.
import type { ItemStore } from '../execute/item-ends.ts'
import type { ItemDeferred, ItemEntry, ItemRecord } from '../record/item-entry.ts'
import type { ListedItem } from '../record/item-store.ts'
import type { RunClaim } from '../run.ts'
import type { RecordedItem } from './recorded-run-store.ts'

type At = { blockId: string }
type Ended = Pick<ItemEntry, 'record' | 'deferred'>

const notRun = { log: null, calls: null, tries: 1 }

export class RehearsedItems implements ItemStore {
  readonly #entries = new Map<string, Ended[]>()
  readonly #carried: ReadonlyMap<string, readonly RecordedItem[]>

  /** `carried`: items that are not run again, by block. */
  constructor(carried: ReadonlyMap<string, readonly RecordedItem[]>) {
    this.#carried = carried
  }

  all(): Map<string, ItemRecord[]> {
    return new Map(
      [...this.#entries.keys()].map((blockId) => [blockId, this.#of({ blockId }).map(({ record }) => record)]),
    )
  }

  async record({ blockId, record, deferred }: ItemEntry) {
    this.#add(blockId, { record, deferred })
    return 'Processing' as const
  }

  async putList(_claim: RunClaim, { blockId }: At, list: readonly ListedItem[]): Promise<boolean> {
    const known = new Map(this.#carried.get(blockId)?.map((item) => [item.key, item]))
    for (const [index, { key }] of list.entries()) {
      const item = known.get(key)
      if (item) this.#add(blockId, { record: { ...notRun, ...item, index, endedAt: item.startedAt } })
    }
    return true
  }

  /** Nobody goes on with what another began. */
  async findList() {
    return undefined
  }

  async hasList(): Promise<boolean> {
    return false
  }

  async listEnded(at: At) {
    return this.#of(at).map(({ record: { index, status, result } }) => {
      const isUnreached = status === 'skipped' && result === null
      return { index, status: isUnreached ? ('unreached' as const) : status }
    })
  }

  async listResults(at: At) {
    return this.#of(at).flatMap(({ record }) =>
      record.status === 'failed' || record.result === null ? [] : [{ json: record.result, ranges: null }],
    )
  }

  async listFailed(_at: object, blockIds: readonly string[], count: number) {
    const all = blockIds.flatMap((blockId) => this.#of({ blockId }))
    const failed = all.filter(({ record }) => record.status === 'failed')
    return failed.slice(0, count).map(({ record }) => ({ key: record.key, message: record.errorMessage ?? '' }))
  }

  async listDeferred(at: At): Promise<ItemDeferred[]> {
    return this.#of(at).flatMap(({ deferred, record }) => (deferred && record.status !== 'failed' ? [deferred] : []))
  }

  async addUse(): Promise<void> {}

  async findDeaths() {
    return {}
  }

  async putDeaths(): Promise<void> {}

  /** What the recorded run skipped is carried. */
  async findRemembered() {
    return new Map<string, never>()
  }

  async countFailed(_at: object, blockIds: readonly string[]): Promise<number> {
    const all = blockIds.flatMap((blockId) => this.#of({ blockId }))
    return new Set(all.flatMap(({ record }) => (record.status === 'failed' ? [record.index] : []))).size
  }

  async listResultsOf(_at: object, blockIds: readonly string[], index: number) {
    const found = blockIds.flatMap((blockId) => {
      const result = this.#of({ blockId }).find(({ record }) => record.index === index)?.record.result
      return typeof result === 'string' ? [[blockId, result] as const] : []
    })
    return new Map(found)
  }

  #add(blockId: string, ended: Ended): void {
    const known = this.#entries.get(blockId)
    if (known) known.push(ended)
    else this.#entries.set(blockId, [ended])
  }

  #of({ blockId }: At): Ended[] {
    return (this.#entries.get(blockId) ?? []).toSorted((one, other) => one.record.index - other.record.index)
  }
}
