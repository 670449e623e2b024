import { type ChainBlock, nameBlock } from '../chain/chain.ts'
import type { Problem } from '../problem.ts'
import { fitsType, type VariableDefinition, variableTypes } from '../variables/variable-values.ts'
import { typeOf } from './merge-declarations.ts'
import type { Mergeable } from './mergeable.ts'

/** Values that do not fit the type of their variable any more; what did not fit before is nobody's news. */
export function findMisfits(before: Mergeable, after: Mergeable): MisfitProblem[] {
  const known = new Set(listMisfits(before).map(({ key }) => key))
  return listMisfits(after).flatMap(({ key, problem }) => (known.has(key) ? [] : [problem]))
}

/** A caller may give the variable another value: one of the workflow, or, with a block, one of this block. */
export type MisfitProblem = Problem & { readonly variable: string; readonly uniqueBlockId?: string }

type Misfit = { key: string; problem: MisfitProblem }

function listMisfits(definition: Mergeable): Misfit[] {
  const ofWorkflow = definition.variables.flatMap((variable): Misfit[] => {
    if (fitsType(variable, variable.value)) return []
    const message = `The value of variable "${variable.name}" no longer fits: it must be ${wanted(variable)}.`
    return [{ key: variable.name, problem: { message, variable: variable.name } }]
  })
  return [...ofWorkflow, ...definition.chain.flatMap((block) => listMisfitsOf(definition, block))]
}

function listMisfitsOf({ blockVariables }: Mergeable, block: ChainBlock): Misfit[] {
  const declared = block.blockTemplateId === null ? undefined : blockVariables[block.blockTemplateId]
  return Object.entries(block.variables).flatMap(([name, binding]): Misfit[] => {
    const type = typeOf(block, name, blockVariables)
    if (binding.variableSource !== 'Value' || type === undefined) return []
    const declaration = declared && Object.hasOwn(declared, name) ? declared[name] : undefined
    const options = declaration?.type === type && declaration.options ? { options: declaration.options } : {}
    if (fitsType({ type, ...options }, binding.value ?? null)) return []
    const message = `The value of variable "${name}" of block ${nameBlock(block)} no longer fits: it must be ${wanted({ type, ...options })}.`
    const { uniqueBlockId } = block
    return [{ key: `${uniqueBlockId} ${name}`, problem: { message, variable: name, uniqueBlockId } }]
  })
}

function wanted({ type, options }: Pick<VariableDefinition, 'type' | 'options'>): string {
  return options ? `${variableTypes[type]} (${options.join(', ')})` : variableTypes[type]
}
