import { accept, type Checked, type Problem, refuse } from '../problem.ts'
import { type ChainBlock, nameBlock, type VariableBinding } from './chain.ts'

/** Reads `{variableSource: 'Value', value}` or `{variableSource: 'Workflow', variableName}`. */
export function parseBinding(name: string, input: unknown): Checked<VariableBinding> {
  const refused = (why: string) => refuse<VariableBinding>({ message: `Variable "${name}" ${why}.` })
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refused('must be an object with variableSource')
  }
  const { variableSource, value, variableName } = input as Record<string, unknown>
  const source = typeof variableSource === 'string' ? variableSource.toLowerCase() : undefined
  if (source === 'value') {
    if (!Object.hasOwn(input, 'value')) return refused('has variableSource Value but no value')
    return accept({ variableSource: 'Value', value: value ?? null })
  }
  if (source === 'workflow') {
    if (typeof variableName !== 'string' || variableName === '') {
      return refused('has variableSource Workflow but no variableName')
    }
    return accept({ variableSource: 'Workflow', variableName })
  }
  return refused('needs a variableSource of Value or Workflow')
}

/** Every binding of the chain to a workflow variable that is not declared. */
export function findUnknownVariables(
  chain: readonly ChainBlock[],
  declared: { has(variableName: string): boolean },
): Problem[] {
  return chain.flatMap((block) =>
    Object.entries(block.variables).flatMap(([name, binding]) => {
      if (binding.variableSource !== 'Workflow' || declared.has(binding.variableName)) return []
      const message = `Variable "${name}" of block ${nameBlock(block)} is bound to the workflow variable "${binding.variableName}", which is not declared.`
      return [{ message }]
    }),
  )
}

/** The values a block's script sees; a workflow variable that is not set is null. */
export function resolveVariables(
  block: Pick<ChainBlock, 'uniqueBlockId' | 'blockName' | 'variables'>,
  workflowValues: ReadonlyMap<string, unknown>,
): Checked<Record<string, unknown>> {
  const problems: Problem[] = []
  const entries = Object.entries(block.variables).map(([name, binding]): [string, unknown] => {
    if (binding.variableSource === 'Value') return [name, binding.value]
    if (!workflowValues.has(binding.variableName)) {
      const message = `Variable "${name}" of block ${nameBlock(block)} needs the workflow variable "${binding.variableName}", which does not exist.`
      problems.push({ message })
    }
    return [name, workflowValues.get(binding.variableName) ?? null]
  })
  // Object.fromEntries defines properties, so a variable named __proto__ stays an ordinary name.
  return problems.length > 0 ? refuse(...problems) : accept(Object.fromEntries(entries))
}
