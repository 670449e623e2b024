import type { Problem } from '../problem.ts'
import { type ChainBlock, nameBlock } from './chain.ts'
import type { FlowFields } from './flow-fields.ts'

/** Fields whose behaviour is not there yet: a save that uses one is refused, so that nothing is accepted and then ignored. */
const unbuilt: readonly (keyof FlowFields)[] = ['forEach', 'subWorkflow', 'wait']

export function findUnbuilt(chain: readonly ChainBlock[]): Problem[] {
  return chain.flatMap((block) =>
    unbuilt
      .filter((name) => block[name] !== undefined)
      .map((name) => ({ message: `The field ${name} of block ${nameBlock(block)} is not supported yet.` })),
  )
}
