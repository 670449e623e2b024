import type { Problem } from '../problem.ts'
import { type ChainBlock, nameBlock } from './chain.ts'

/** Fields whose behaviour is not there yet: a save that uses one is refused, so that nothing is accepted and then ignored. */
export function findUnbuilt(chain: readonly ChainBlock[]): Problem[] {
  return chain.flatMap((block) => {
    const names = block.wait && block.forEach ? ['wait'] : []
    return names.map((name) => ({ message: `The field ${name} of block ${nameBlock(block)} is not supported yet.` }))
  })
}
