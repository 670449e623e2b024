import { isSameValue } from '../../lib/same-value.ts'
import type { ChainBlock, VariableBinding } from '../chain/chain.ts'
import { isSet, type VariableType } from '../variables/variable-values.ts'
import type { Mergeable } from './mergeable.ts'

type Declarations = Mergeable['blockVariables']
type Sides = { readonly base: Mergeable; readonly ours: Mergeable; readonly theirs: Mergeable }

/** How the variables of the blocks in `chain` are declared, by block template. */
export function mergeDeclarations({ base, ours, theirs }: Sides, chain: readonly ChainBlock[]): Declarations {
  const used = new Set(chain.flatMap((block) => block.blockTemplateId ?? []))
  return Object.fromEntries(
    [...used].map((id) => {
      const [was, mine, yours] = [base, ours, theirs].map((side) => side.blockVariables[id])
      const isTheirs = yours && (!mine || !isSameValue(yours, was))
      return [id, (isTheirs ? yours : mine) ?? {}]
    }),
  )
}

/**
 * A value of the customer keeps the type it was given for where the template no longer says one, and a password stays a password
 * whatever the template says now: under another type everybody could read it.
 */
export function keepTypes(
  chain: readonly ChainBlock[],
  declarations: Declarations,
  ours: Mergeable,
): readonly ChainBlock[] {
  const before = new Map(ours.chain.map((block) => [block.uniqueBlockId, block]))
  return chain.map((block) => {
    const old = before.get(block.uniqueBlockId)
    if (!old) return block
    const variables = Object.entries(block.variables).map(([name, binding]): [string, VariableBinding] => {
      const was = typeOf(old, name, ours.blockVariables)
      const now = typeOf(block, name, declarations)
      const isKept = binding === old.variables[name] && (binding.variableSource === 'Workflow' || isSet(binding.value))
      const isLost = was !== undefined && was !== now && (now === undefined || was === 'password')
      return [name, isKept && isLost ? { ...binding, type: was } : binding]
    })
    return { ...block, variables: Object.fromEntries(variables) }
  })
}

/** What the block itself says, else what its template declares. */
export function typeOf(block: ChainBlock, name: string, declarations: Declarations): VariableType | undefined {
  const binding = Object.hasOwn(block.variables, name) ? block.variables[name] : undefined
  const declared = block.blockTemplateId === null ? undefined : declarations[block.blockTemplateId]
  return binding?.type ?? (declared && Object.hasOwn(declared, name) ? declared[name]?.type : undefined)
}
