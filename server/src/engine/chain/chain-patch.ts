/**
 * The rules by which a request changes the chain of a workflow. A bound workflow follows its template: names, scripts
 * and variable values may change, the structure may not. Unbinding is for good: it marks every block customized and
 * opens the structure.
 */
import { accept, type Checked, type Problem, refuse } from '../problem.ts'
import { findUnknownVariables } from './bindings.ts'
import { type ChainBlock, nameBlock } from './chain.ts'
import { type ChainElementInput, changeBlock, makeBlock } from './chain-element.ts'
import type { BlockTemplate } from './element-rules.ts'
import { findFlowProblems } from './flow-problems.ts'
import { findGraphProblems } from './graph.ts'
import { placeBlocks } from './placement.ts'

export type ChainContext = {
  /** Whether the blocks still follow a template, after this request. */
  readonly isBound: boolean
  readonly workflowVariables: { has(name: string): boolean }
  readonly blockTemplates: ReadonlyMap<string, BlockTemplate>
  /** Ids for blocks that come without one. */
  readonly newBlockId: () => string
}

/** Whether the workflow follows its template after a request with this `unboundFromTemplate`. */
export function decideBinding(isBound: boolean, unboundFromTemplate: boolean | undefined): Checked<boolean> {
  if (!isBound && unboundFromTemplate === false) {
    return refuse({
      message: 'The field unboundFromTemplate cannot go back to false: an unbound workflow stays unbound.',
    })
  }
  return accept(isBound && unboundFromTemplate !== true)
}

/** The chain of a new custom workflow; blocks that bring a `uniqueBlockId` keep it. */
export function makeChain(elements: readonly ChainElementInput[], context: ChainContext): Checked<ChainBlock[]> {
  return applyElements([], elements, { ...context, isBound: false }, true)
}

/** An existing chain (of a workflow, or of the template a workflow is made from) with the elements of a request. */
export function patchChain(
  chain: readonly ChainBlock[],
  elements: readonly ChainElementInput[],
  context: ChainContext,
): Checked<ChainBlock[]> {
  return applyElements(chain, elements, context, false)
}

function applyElements(
  chain: readonly ChainBlock[],
  elements: readonly ChainElementInput[],
  context: ChainContext,
  mayBringIds: boolean,
): Checked<ChainBlock[]> {
  const problems: Problem[] = findRepeatedElements(elements)
  const blocks = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const currentNo = new Map(chain.map((block, index) => [block.uniqueBlockId, index + 1]))
  const wantedNo = new Map<string, number>()

  for (const element of elements) {
    const id = element.uniqueBlockId
    const known = id === undefined ? undefined : blocks.get(id)
    const problem = findStructureProblem(element, known, { currentNo, isBound: context.isBound, mayBringIds })
    if (problem) {
      problems.push(problem)
    } else if (known && element.isDeleted) {
      blocks.delete(known.uniqueBlockId)
    } else {
      const uniqueBlockId = id ?? context.newBlockId()
      const block = known ? changeBlock(known, element, context) : makeBlock(uniqueBlockId, element, context)
      if (!block.ok) {
        problems.push(...block.problems)
        continue
      }
      // Setting a key that a Map already has keeps its place; a new one goes to the end.
      blocks.set(uniqueBlockId, block.value)
      const place = currentNo.get(uniqueBlockId) ?? blocks.size
      if (element.no !== undefined && element.no !== place) wantedNo.set(uniqueBlockId, element.no)
    }
  }
  if (problems.length > 0) return refuse(...problems)

  const placed = placeBlocks([...blocks.values()], wantedNo)
  if (!placed.ok) return placed
  const result = context.isBound ? placed.value : placed.value.map(markCustomized)
  const chainProblems = [
    ...findGraphProblems(result),
    ...findFlowProblems(result),
    ...findUnknownVariables(result, context.workflowVariables),
  ]
  return chainProblems.length > 0 ? refuse(...chainProblems) : accept(result)
}

function markCustomized(block: ChainBlock): ChainBlock {
  return block.isCustomized ? block : { ...block, isCustomized: true }
}

function findRepeatedElements(elements: readonly ChainElementInput[]): Problem[] {
  const ids = elements.flatMap((element) => element.uniqueBlockId ?? [])
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  return [...repeated].map((id) => ({
    message: `The chain names the uniqueBlockId ${id} more than once.`,
  }))
}

/** As much as a new block needs: then an id that nobody has is its own, and others may name it. */
function isWholeBlock({ blockName, script, blockTemplateId }: ChainElementInput): boolean {
  return Boolean(blockTemplateId) || (blockName !== undefined && script !== undefined)
}

type Structure = { currentNo: ReadonlyMap<string, number>; isBound: boolean; mayBringIds: boolean }

function findStructureProblem(
  element: ChainElementInput,
  known: ChainBlock | undefined,
  { currentNo, isBound, mayBringIds }: Structure,
): Problem | undefined {
  const id = element.uniqueBlockId
  if (!known && (element.isDeleted || (id !== undefined && !mayBringIds && !isWholeBlock(element)))) {
    if (id === undefined)
      return { message: 'A block with isDeleted true needs the uniqueBlockId of the block to delete.' }
    return { message: `Block ${id} does not exist in this workflow, so it cannot be changed.` }
  }
  if (!isBound) return undefined
  const only = 'of a workflow that follows its template; set unboundFromTemplate to true for that.'
  if (!known) return { message: `A block cannot be added to the chain ${only}` }
  if (element.isDeleted) return { message: `Block ${nameBlock(known)} cannot be deleted from the chain ${only}` }
  if (element.no !== undefined && element.no !== currentNo.get(known.uniqueBlockId)) {
    return { message: `Block ${nameBlock(known)} cannot be moved in the chain ${only}` }
  }
  return undefined
}
