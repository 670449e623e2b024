// What a caller may give so that a problem of a preview is solved, with what a form needs to ask for it.
import type { Need, Problem } from '../../engine/problem.ts'
import type { VariableDefinition } from '../../engine/variables/variable-values.ts'
import type { Definition } from '../../workflows/index.ts'

export function describeNeeds(problems: readonly Problem[], next: Definition) {
  return problems.flatMap(({ message, need }) =>
    need === undefined ? [] : [{ ...need, message, ...shapeOf(declarationOf(next, need)) }],
  )
}

function declarationOf(next: Definition, need: Need): VariableDefinition | undefined {
  if (need.kind === 'application') return undefined
  if (need.kind === 'variable') return next.variables.find(({ name }) => name === need.name)
  const block = next.chain.find(({ uniqueBlockId }) => uniqueBlockId === need.uniqueBlockId)
  const declared = next.blockVariables[block?.blockTemplateId ?? '']
  return declared && Object.hasOwn(declared, need.name) ? declared[need.name] : undefined
}

function shapeOf(declared: VariableDefinition | undefined) {
  if (!declared) return {}
  const { type, displayName, options } = declared
  return { type, displayName, ...(options ? { options: [...options] } : {}) }
}
