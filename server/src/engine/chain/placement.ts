import { accept, type Checked, type Problem, refuse } from '../problem.ts'
import { type ChainBlock, nameBlock } from './chain.ts'

/**
 * Puts the blocks that ask for another `no` exactly there; all others keep their order around them.
 *
 * Asking is only what differs from the present position. So one block can be moved by naming it alone, a whole chain
 * can be posted with one number changed, and a whole chain can be posted with all numbers made new.
 */
export function placeBlocks(
  blocks: readonly ChainBlock[],
  wantedNo: ReadonlyMap<string, number>,
): Checked<ChainBlock[]> {
  const moved = blocks
    .flatMap((block) => {
      const no = wantedNo.get(block.uniqueBlockId)
      return no === undefined ? [] : [{ block, no }]
    })
    .sort((one, other) => one.no - other.no)
  const problems: Problem[] = []
  for (const [index, { block, no }] of moved.entries()) {
    if (!Number.isInteger(no) || no < 1 || no > blocks.length) {
      const message = `Block ${nameBlock(block)} cannot move to position ${no} (no): the chain has positions 1 to ${blocks.length}.`
      problems.push({ message })
    }
    const before = moved[index - 1]
    if (before?.no === no) {
      const message = `The blocks ${nameBlock(before.block)} and ${nameBlock(block)} cannot both have position ${no} (no).`
      problems.push({ message })
    }
  }
  if (problems.length > 0) return refuse(...problems)

  const placed = blocks.filter((block) => !wantedNo.has(block.uniqueBlockId))
  // In ascending order, so that no later insertion pushes an earlier one away from its place.
  for (const { block, no } of moved) placed.splice(no - 1, 0, block)
  return accept(placed)
}
