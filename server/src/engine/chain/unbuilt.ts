import type { Problem } from '../problem.ts'
import { type ChainBlock, nameBlock } from './chain.ts'
import type { FlowFields } from './flow-fields.ts'

/** Fields whose behaviour is not there yet: a save that uses one is refused, so that nothing is accepted and then ignored. */
const unbuilt: readonly (keyof FlowFields)[] = ['subWorkflow', 'wait']

export function findUnbuilt(chain: readonly ChainBlock[]): Problem[] {
  return chain.flatMap((block) => {
    const inside = (['sameItemsAs', 'once'] as const).filter((name) => block.forEach?.[name])
    const names = [...unbuilt.filter((name) => block[name] !== undefined), ...inside.map((name) => `forEach.${name}`)]
    return names.map((name) => ({ message: `The field ${name} of block ${nameBlock(block)} is not supported yet.` }))
  })
}
