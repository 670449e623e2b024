// The script API with the types of one workflow in it.
import type { Portable, PortableVariable } from '../folders/portable.ts'
import { scriptApi } from './editor-files.ts'

const depthMax = 6
const fieldsMax = 50

export function describeWorkflow(workflow: Portable, results: ReadonlyMap<string, unknown>): string {
  const sources = [...new Set(workflow.blocks.flatMap(({ dataSources }) => dataSources))]
  const shapes = sources.map((key) => (results.has(key) ? typeOf(results.get(key)) : 'any'))
  const datasource = shapes.length === 0 ? 'any' : [...new Set(shapes)].join(' | ')
  const applications =
    Object.keys(workflow.applications)
      .map((name) => JSON.stringify(name))
      .join(' | ') || 'string'
  const variables = describeVariables(workflow)
  return scriptApi()
    .replace('declare const Datasource: any[]', `declare const Datasource: (${datasource})[]`)
    .replace('declare const variables: Record<string, any>', `declare const variables: ${variables}`)
    .replace('declare function getVariables(): Record<string, any>', `declare function getVariables(): ${variables}`)
    .replace('function get(url: string)', `function get(url: \`\${${applications}}/\${string}\`)`)
    .replace('function post(url: string,', `function post(url: \`\${${applications}}/\${string}\`,`)
    .replace('function send(shortName: string,', `function send(shortName: ${applications},`)
}

/** Blocks see their own variables only, so each may be missing. */
function describeVariables(workflow: Portable): string {
  const types = new Map<string, Set<string>>()
  for (const { variables } of workflow.blocks) {
    for (const [name, binding] of Object.entries(variables)) {
      const type =
        'workflow' in binding
          ? variableType(workflow.variables[binding.workflow])
          : variableType({ type: binding.type ?? 'json', ...('value' in binding ? { value: binding.value } : {}) })
      types.set(name, (types.get(name) ?? new Set()).add(type))
    }
  }
  const fields = [...types].map(([name, found]) => `${JSON.stringify(name)}?: ${[...found].join(' | ')}`)
  return fields.length === 0 ? 'Record<string, any>' : `{ ${fields.join('; ')} }`
}

function variableType(variable: PortableVariable | undefined): string {
  switch (variable?.type) {
    case 'text':
    case 'password':
    case 'date':
      return 'string'
    case 'number':
    case 'boolean':
      return variable.type
    case 'select':
      return variable.options?.map((option) => JSON.stringify(option)).join(' | ') || 'string'
    case 'multiselect':
      return 'string[]'
    default:
      return variable?.value === undefined || variable.value === null ? 'any' : typeOf(variable.value)
  }
}

function typeOf(value: unknown, depth = 0): string {
  if (value === null || depth > depthMax) return 'any'
  if (Array.isArray(value)) {
    const kinds = new Set(value.slice(0, fieldsMax).map((item) => typeOf(item, depth + 1)))
    return kinds.size === 0 ? 'any[]' : `(${[...kinds].join(' | ')})[]`
  }
  if (typeof value !== 'object') return typeof value
  const fields = Object.entries(value as object)
  if (fields.length === 0 || fields.length > fieldsMax) return 'Record<string, any>'
  return `{ ${fields.map(([name, item]) => `${JSON.stringify(name)}: ${typeOf(item, depth + 1)}`).join('; ')} }`
}
