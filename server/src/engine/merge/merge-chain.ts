import type { ChainBlock } from '../chain/chain.ts'
import type { Resolution } from './conflict.ts'
import { type BlockRules, isSameBlock, mergeBlock } from './merge-block.ts'
import { mergeOrder } from './merge-order.ts'
import type { Mergeable } from './mergeable.ts'

type Blocks = Map<string, ChainBlock>
type Sides<Side> = { readonly base: Side; readonly ours: Side; readonly theirs: Side }

export function mergeChain(
  { base, ours, theirs }: Sides<Mergeable>,
  rules: BlockRules,
): { chain: ChainBlock[]; isCustomizedStructure: boolean } {
  const sides = { base: byId(base), ours: byId(ours), theirs: byId(theirs) }
  const kept: Blocks = new Map()
  for (const id of new Set([...sides.ours.keys(), ...sides.theirs.keys()])) {
    const block = mergePresence(id, sides, rules)
    if (block) kept.set(id, block)
  }
  joinSources(kept, sides, rules)
  const idsOf = ({ chain }: Mergeable) => chain.map(({ uniqueBlockId }) => uniqueBlockId)
  const order = mergeOrder(idsOf(base), idsOf(ours), idsOf(theirs), new Set(kept.keys()))
  const chain = order.flatMap((id) => kept.get(id) ?? [])
  // A workflow that left its template counts each of its blocks as its own. It leaves it by keeping a block that the template removed.
  const isCustomizedStructure =
    ours.isCustomizedStructure || chain.some(({ uniqueBlockId: id }) => !sides.theirs.has(id))
  return {
    chain: isCustomizedStructure ? chain.map((block) => ({ ...block, isCustomized: true })) : chain,
    isCustomizedStructure,
  }
}

/** Undefined when the block is not in the merged chain. */
function mergePresence(id: string, sides: Sides<Blocks>, rules: BlockRules): ChainBlock | undefined {
  const [base, ours, theirs] = [sides.base.get(id), sides.ours.get(id), sides.theirs.get(id)]
  if (ours && theirs) return mergeBlock({ base, ours, theirs }, rules)
  const present = ours ?? theirs
  if (!base || !present) return present
  if (isSameBlock(base, present)) return undefined
  const { blockName } = present
  const values = { base, ours: ours ?? null, theirs: theirs ?? null }
  const resolution = rules.findings.resolve({ uniqueBlockId: id, blockName, field: 'block', ...values })
  return resolution?.take === 'template' ? theirs : ours
}

/**
 * A data source whose block is gone is a conflict. Whoever takes a side there takes the block it reads from as well: blocks that are
 * brought back so are looked at in their turn, because a Map is walked to its last entry.
 */
function joinSources(kept: Blocks, sides: Sides<Blocks>, { findings }: BlockRules): void {
  for (const block of kept.values()) {
    if (block.dataSources.every((source) => kept.has(source))) continue
    const id = block.uniqueBlockId
    const sourcesOf = (side: Blocks) => side.get(id)?.dataSources ?? null
    const values = { base: sourcesOf(sides.base), ours: sourcesOf(sides.ours), theirs: sourcesOf(sides.theirs) }
    const { blockName } = block
    const resolution = findings.resolve({ uniqueBlockId: id, blockName, field: 'dataSources', ...values })
    if (!resolution) continue
    const side = resolution.take === 'customer' ? sides.ours : sides.theirs
    const dataSources = chosenSources(resolution, sourcesOf(side) ?? [])
    kept.set(id, { ...block, dataSources })
    for (const source of dataSources) {
      const missing = kept.has(source) || resolution.take === 'value' ? undefined : side.get(source)
      if (missing) kept.set(source, missing)
    }
  }
}

function chosenSources(resolution: Resolution, ofSide: readonly string[]): readonly string[] {
  return resolution.take === 'value' ? (resolution.value as string[]) : ofSide
}

function byId({ chain }: Mergeable): Blocks {
  return new Map(chain.map((block) => [block.uniqueBlockId, block]))
}
