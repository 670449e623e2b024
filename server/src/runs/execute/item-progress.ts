// Where the items of a block are. Blocks that go on with the same items watch it: an item of theirs may start once this one has a result.
import type { ItemEnd } from '../record/item-entry.ts'
import type { ListedItem } from '../record/item-store.ts'

export class ItemProgress {
  /** Undefined until the list is recorded. */
  list: readonly ListedItem[] | undefined
  /** Items that have ended, in the order of their ends. */
  readonly order: number[] = []
  /** `aside`: the block goes on later. `over`: nothing more is to come. */
  state: 'open' | 'aside' | 'over' = 'open'
  #ends: (ItemEnd | undefined)[] = []
  #change = Promise.withResolvers<void>()

  begin(list: readonly ListedItem[]): void {
    this.list = list
    this.#ends = new Array(list.length).fill(undefined)
    this.#tell()
  }

  end(index: number, end: ItemEnd): void {
    this.#ends[index] = end
    this.order.push(index)
    this.#tell()
  }

  close(state: 'aside' | 'over'): void {
    this.state = state
    this.#tell()
  }

  endOf(index: number): ItemEnd | undefined {
    return this.#ends[index]
  }

  count(end: ItemEnd): number {
    return this.#ends.filter((one) => one === end).length
  }

  get isComplete(): boolean {
    return this.list !== undefined && this.order.length === this.list.length
  }

  /** Resolves when anything has changed. */
  get changed(): Promise<void> {
    return this.#change.promise
  }

  #tell(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }
}

export function hasResult(end: ItemEnd | undefined): boolean {
  return end === 'succeeded' || end === 'skipped'
}
