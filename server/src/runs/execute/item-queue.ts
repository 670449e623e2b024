// Which item of a block is next: one whose next try is due, or the first that has not begun and may.
import type { ListedItem } from '../record/item-store.ts'
import type { RememberedResult } from '../record/remembered-store.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { Tries, Unit } from './item-ends.ts'
import { hasResult, type ItemProgress } from './item-progress.ts'
import { isOver } from './waits.ts'

/** Many may be skipped one after the other; they are recorded together. */
const skippedAtOnce = 100

export class ItemQueue {
  readonly #list: readonly ListedItem[]
  readonly #own: ItemProgress
  readonly #sources: readonly ItemProgress[]
  readonly #batchSize: number
  readonly #waits = new Map<number, { wait: RunWait; tries: Tries }>()
  readonly #taken = new Set<number>()
  /** Results of keys that are remembered. Items from `#knownTo` on have not been looked up. */
  readonly #remembered = new Map<number, RememberedResult>()
  #knownTo = Number.POSITIVE_INFINITY
  #next = 0
  /** Items of the first source that others are still to reach. */
  #later: number[] = []

  /** `sources`: of a block that goes on with the same items. */
  constructor(own: ItemProgress, sources: readonly ItemProgress[], batchSize: number) {
    this.#list = own.list ?? []
    this.#own = own
    this.#sources = sources
    this.#batchSize = batchSize
  }

  /** The wait that ends first. A block that gives up still waits for runs that its items have started. */
  firstWait(isGivenUp: boolean): RunWait | undefined {
    const waits = [...this.#waits.values()].map(({ wait }) => wait)
    const open = isGivenUp ? waits.filter(({ kind }) => kind === 'subWorkflow') : waits
    const dueMs = ({ dueAt }: RunWait) => dueAt?.getTime() ?? Number.POSITIVE_INFINITY
    return open.sort((one, other) => dueMs(one) - dueMs(other))[0]
  }

  /** Items whose own run is under way. */
  get children(): number {
    return [...this.#waits.values()].filter(({ wait }) => wait.kind === 'subWorkflow').length
  }

  /** Items are looked up before they are taken. */
  lookFirst(): void {
    this.#knownTo = 0
  }

  /** The next items to look up; none while there are enough. */
  nextUnknown(count: number): { from: number; items: readonly ListedItem[] } {
    if (this.#next < this.#knownTo) return { from: 0, items: [] }
    return { from: this.#next, items: this.#list.slice(this.#next, this.#next + count) }
  }

  know(from: number, items: readonly ListedItem[], results: ReadonlyMap<string, RememberedResult>): void {
    for (const [at, { key }] of items.entries()) {
      const result = results.get(key)
      if (result !== undefined) this.#remembered.set(from + at, result)
    }
    this.#knownTo = from + items.length
  }

  putOff(wait: RunWait, tries: Tries): void {
    for (const index of tries.indexes) this.#taken.add(index)
    this.#waits.set(wait.itemIndex, { wait, tries })
  }

  leaveOut(index: number): void {
    this.#taken.add(index)
  }

  /** Items that have not ended, do not wait, and whose sources have results: of a worker that died the first ones were in progress. */
  listOpen(count: number): number[] {
    const isOpen = (index: number) => this.#isOpen(index) && this.#sources.every((one) => hasResult(one.endOf(index)))
    return [...this.#list.keys().filter(isOpen).take(count)]
  }

  /** What is due again goes before what has not begun. A block that gives up takes only what was under way. */
  takeAgain(now: Date, isGivenUp: boolean): Unit | undefined {
    for (const [index, { wait, tries }] of this.#waits) {
      if (!isOver(wait, now) || (isGivenUp && wait.kind !== 'subWorkflow')) continue
      this.#waits.delete(index)
      return { indexes: tries.indexes, tried: tries, outcome: wait.outcome }
    }
    return undefined
  }

  takeNext(): Unit | undefined {
    return this.#sources.length > 0 ? this.#takeReached() : this.#takeInOrder()
  }

  #takeInOrder(): Unit | undefined {
    const indexes: number[] = []
    const results: RememberedResult[] = []
    const end = Math.min(this.#list.length, this.#knownTo)
    for (; this.#next < end; this.#next++) {
      const index = this.#next
      if (!this.#isOpen(index)) continue
      const result = this.#remembered.get(index)
      const isSkipped = results.length > 0
      const isFull = indexes.length >= (isSkipped ? skippedAtOnce : this.#batchSize)
      if (isFull || (indexes.length > 0 && isSkipped !== (result !== undefined))) break
      indexes.push(index)
      if (result === undefined) continue
      results.push(result)
      this.#remembered.delete(index)
    }
    if (indexes.length === 0) return undefined
    return results.length === 0
      ? { indexes, tried: undefined, outcome: null }
      : { indexes, tried: undefined, outcome: null, skipped: results }
  }

  /** In the order in which the same items ended before. */
  #takeReached(): Unit | undefined {
    const [first] = this.#sources
    const ended = first?.order ?? []
    const unreached: number[] = []
    const later: number[] = []
    let ready: number | undefined
    const candidates = this.#later
    this.#later = []
    while (ready === undefined && unreached.length < skippedAtOnce) {
      const index = candidates.length > 0 ? candidates.shift() : ended[this.#next++]
      if (index === undefined) {
        this.#next--
        break
      }
      if (!this.#isOpen(index)) continue
      const ends = this.#sources.map((source) => source.endOf(index))
      if (ends.every(hasResult)) ready = index
      else if (ends.some((end) => end !== undefined && !hasResult(end))) unreached.push(index)
      else later.push(index)
    }
    this.#later.push(...later, ...candidates)
    if (unreached.length > 0) {
      if (ready !== undefined) this.#later.unshift(ready)
      return { indexes: unreached, tried: undefined, outcome: null, skipped: unreached.map(() => null) }
    }
    return ready === undefined ? undefined : { indexes: [ready], tried: undefined, outcome: null }
  }

  #isOpen(index: number): boolean {
    return this.#own.endOf(index) === undefined && !this.#taken.has(index)
  }
}
