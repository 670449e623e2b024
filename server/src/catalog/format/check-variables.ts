import { fitsType } from '../../engine/variables/variable-values.ts'
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
        message: `"options" are only allowed for select and multiselect ("${variable.shortName}").`,
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

/** Whether a value may be given to a variable of this type. Null means "not set", which a file says by leaving the value out. */
export function fitsVariable({ type, options }: Pick<Variable, 'type' | 'options'>, value: unknown): boolean {
  if (value === null || value === undefined) return value === null && type === 'json'
  return fitsType({ type, ...(options ? { options: options.map((option) => option.value) } : {}) }, value)
}
