// What a block with items goes by. One that goes on with the items of another has a concurrency of its own; the rest is said by the block with the list.
import { listBlockOf } from '../../engine/chain/same-items.ts'
import type { PlannedBlock } from './definition-cache.ts'

export type ItemScope = {
  concurrency: number
  batchSize: number
  /** How many of its items may be in progress. */
  lanes: number
  maxFailures: number | string | undefined
  stopAfter: number
  onceDays: number
  collect: 'results' | 'counts'
  /** The block whose list it is, when that is another one. */
  sameAs: string | undefined
  /** All blocks with the same items whose failures count. */
  blockIds: readonly string[]
}

const stopAfterDefault = 10

export function scopeOf(blocks: ReadonlyMap<string, PlannedBlock>, block: PlannedBlock): ItemScope {
  const { uniqueBlockId: id, forEach: own = {} } = block
  const listId = listBlockOf(blocks, id) ?? id
  const isFirst = listId === id
  const { maxFailures, stopAfter = stopAfterDefault, collect = 'results' } = blocks.get(listId)?.forEach ?? own
  const { concurrency = 1, batchSize = 1, once = 0 } = own
  return {
    concurrency,
    batchSize,
    lanes: concurrency * batchSize,
    maxFailures,
    stopAfter,
    onceDays: once,
    collect,
    sameAs: isFirst ? undefined : listId,
    // The first one answers for itself; whoever ends last sees the failures of all.
    blockIds: isFirst ? [id] : [...blocks.keys()].filter((one) => listBlockOf(blocks, one) === listId),
  }
}
