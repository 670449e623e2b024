// What a script sees as itemKeys: for each data source with items the keys of its results, null for others.
import { sourcesWithSameItems } from '../../engine/chain/same-items.ts'
import type { Json } from '../../lib/json.ts'
import type { ItemRecords } from '../record/item-store.ts'
import type { PlannedBlock } from './definition-cache.ts'
import type { RunState } from './run-state.ts'

export type KeyReader = Pick<ItemRecords, 'listKeys'>

/** Keys are many, so that only scripts that name them get them. */
export function readsItemKeys(script: string): boolean {
  return /\bitemKeys\b/.test(script)
}

/** `itemKey`: of the item that runs; its own key is that of sources with the same items. Undefined for a script that does not ask. */
export async function itemKeysOf(
  reader: KeyReader | undefined,
  state: RunState,
  block: PlannedBlock,
  itemKey: Json | undefined,
): Promise<Json[] | undefined> {
  if (!readsItemKeys(block.script)) return undefined
  const { blocks } = state.workflow
  const { accountId, id: runId } = state.run
  const same = new Set(sourcesWithSameItems(blocks, block))
  return Promise.all(
    block.dataSources.map(async (source) => {
      if (same.has(source)) return itemKey ?? null
      if (!reader || !blocks.get(source)?.forEach) return null
      return reader.listKeys({ accountId, runId, blockId: source })
    }),
  )
}
