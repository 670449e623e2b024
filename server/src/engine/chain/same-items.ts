// Blocks that go on with the items of another block. Together with the block that has the list they are one scope.
import type { FlowFields } from './flow-fields.ts'

type ItemsBlock = { readonly uniqueBlockId: string; readonly dataSources: readonly string[] } & Pick<
  FlowFields,
  'forEach'
>
type Blocks = ReadonlyMap<string, ItemsBlock>

/** The block whose list a block has items of: itself, or the first of its scope. Undefined for a block without items. */
export function listBlockOf(blocks: Blocks, id: string): string | undefined {
  const seen = new Set<string>()
  let block = blocks.get(id)
  while (block?.forEach?.sameItemsAs !== undefined && !seen.has(block.uniqueBlockId)) {
    seen.add(block.uniqueBlockId)
    block = blocks.get(block.forEach.sameItemsAs)
  }
  return block?.forEach && block.forEach.sameItemsAs === undefined ? block.uniqueBlockId : undefined
}

/** Data sources of a block with sameItemsAs that have the same items. */
export function sourcesWithSameItems(blocks: Blocks, block: ItemsBlock): string[] {
  if (block.forEach?.sameItemsAs === undefined) return []
  const list = listBlockOf(blocks, block.uniqueBlockId)
  return block.dataSources.filter((source) => list !== undefined && listBlockOf(blocks, source) === list)
}
