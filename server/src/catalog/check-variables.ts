import type { Finding } from './check-application.ts'
import type { Variable } from './definition.ts'

export function checkVariables(variables: readonly Variable[]): Finding[] {
  const found: Finding[] = []
  const seen = new Set<string>()
  for (const [index, variable] of variables.entries()) {
    const path = ['variables', index]
    const key = variable.shortName.toLowerCase()
    if (seen.has(key)) found.push({ path, message: `The variable "${variable.shortName}" is declared twice.` })
    seen.add(key)
    const chooses = variable.type === 'select' || variable.type === 'multiselect'
    if (chooses !== (variable.options !== undefined)) {
      found.push({
        path,
        message: `"options" belong to select and multiselect and only there ("${variable.shortName}").`,
      })
    } else if (variable.default !== undefined && !fitsVariable(variable, variable.default)) {
      found.push({
        path: [...path, 'default'],
        message: `The default of "${variable.shortName}" is not a value of type ${variable.type}.`,
      })
    }
  }
  return found
}

/** Whether a value may be given to a variable of this type. */
export function fitsVariable(variable: Pick<Variable, 'type' | 'options'>, value: unknown): boolean {
  const allowed = variable.options?.map((option) => option.value)
  switch (variable.type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value))
    case 'select':
      return typeof value === 'string' && (allowed?.includes(value) ?? true)
    case 'multiselect':
      return (
        Array.isArray(value) && value.every((item) => typeof item === 'string' && (allowed?.includes(item) ?? true))
      )
    case 'json':
      return value !== undefined
    default:
      return typeof value === 'string'
  }
}
