import { findUnknownVariables } from '../../engine/chain/bindings.ts'
import { type ChainBlock, nameBlock } from '../../engine/chain/chain.ts'
import { findFlowProblems, findTemplateCalls } from '../../engine/chain/flow-problems.ts'
import { findGraphProblems } from '../../engine/chain/graph.ts'
import type { Problem } from '../../engine/problem.ts'
import { isSet } from '../../engine/variables/variable-values.ts'
import { findUnsetVariables } from '../../engine/variables/workflow-variables.ts'
import type { Definition } from './definition.ts'

type KnownConnection = { id: string; shortName: string; isAuthenticated: boolean }

/** Every reason why the workflow could not run. `connections` are those of the account among the mapped ones. */
export function findDeployProblems(definition: Definition, connections: readonly KnownConnection[]): Problem[] {
  const variables = new Map(definition.variables.map(({ name, ...variable }) => [name, variable]))
  return [
    ...(definition.chain.length === 0 ? [{ message: 'The workflow has no blocks.' }] : []),
    ...findGraphProblems(definition.chain),
    ...findFlowProblems(definition.chain),
    ...findTemplateCalls(definition.chain),
    ...findUnknownVariables(definition.chain, variables),
    ...findUnsetVariables(variables),
    ...definition.chain.flatMap((block) => findUnsetOfBlock(definition, block)),
    ...findApplicationProblems(definition, connections),
  ]
}

function findUnsetOfBlock(definition: Definition, block: ChainBlock): Problem[] {
  const declared = block.blockTemplateId === null ? undefined : definition.blockVariables[block.blockTemplateId]
  return Object.entries(declared ?? {}).flatMap(([name, { required }]) => {
    if (!required) return []
    const binding = Object.hasOwn(block.variables, name) ? block.variables[name] : undefined
    // It was removed from the block.
    if (!binding && definition.isCustomizedStructure) return []
    if (binding?.variableSource !== 'Workflow') return isSet(binding?.value) ? [] : [unsetOfBlock(block, name)]
    const source = definition.variables.find((variable) => variable.name === binding.variableName)
    // A required variable of the workflow speaks for itself, and one that is missing is named as such.
    if (!source || source.required || isSet(source.value)) return []
    return [unsetOfBlock(block, name, source.name)]
  })
}

function unsetOfBlock(block: ChainBlock, name: string, source?: string): Problem {
  const from = source === undefined ? '' : ` (bound to the variable "${source}")`
  return {
    message: `The required variable "${name}" of block ${nameBlock(block)}${from} has no value.`,
    need:
      source === undefined
        ? { kind: 'blockVariable', name, uniqueBlockId: block.uniqueBlockId }
        : { kind: 'variable', name: source },
  }
}

/** Needed is what a block calls and, as long as the workflow follows its template, what the template says it needs. */
export function listNeededApplications(definition: Definition): string[] {
  const fromTemplate = definition.isCustomizedStructure ? [] : definition.templateApplications
  const named = [...definition.chain.flatMap((block) => block.applicationShortName ?? []), ...fromTemplate]
  return [...new Map(named.map((name) => [name.toUpperCase(), name])).values()]
}

function findApplicationProblems(definition: Definition, connections: readonly KnownConnection[]): Problem[] {
  const mapped = new Map(
    Object.entries(definition.applications).map(([name, id]) => [name.toUpperCase(), { name, id }] as const),
  )
  const missing = listNeededApplications(definition)
    .filter((name) => !mapped.has(name.toUpperCase()))
    .map((name) => ({
      message: `The application ${name} is not mapped to a registered application.`,
      need: { kind: 'application' as const, name },
    }))
  const wrong = [...mapped.values()].flatMap(({ name, id }) => {
    const connection = connections.find((candidate) => candidate.id === id)
    const mapping = `The application ${name} is mapped to ${id}, which is`
    if (!connection) return [{ message: `${mapping} not a registered application of this account.` }]
    if (connection.shortName.toUpperCase() !== name.toUpperCase()) {
      return [{ message: `${mapping} a registered application of ${connection.shortName}.` }]
    }
    return connection.isAuthenticated ? [] : [{ message: `${mapping} not authenticated yet.` }]
  })
  return [...missing, ...wrong]
}
