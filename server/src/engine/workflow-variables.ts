import { maskedValue } from './bindings.ts'
import { accept, type Checked, type Problem, refuse } from './problem.ts'
import {
  fitsType,
  inferVariableType,
  isSet,
  parseVariableType,
  type VariableDefinition,
  variableTypes,
} from './variable-values.ts'

export type WorkflowVariable = VariableDefinition & { readonly value: unknown }
export type WorkflowVariables = ReadonlyMap<string, WorkflowVariable>

/** The fields `WorkflowApiDto` shows for a variable; an object with `value` and no others beside these is the long form. */
const longFormFields = new Set(['value', 'type', 'required', 'displayName', 'options'])

/**
 * Sets values of declared variables, each given bare or as `{value}`; variables that are not named stay as they are.
 * Null unsets one.
 */
export function setVariables(
  current: WorkflowVariables,
  input: Readonly<Record<string, unknown>>,
): Checked<WorkflowVariables> {
  const problems: Problem[] = []
  const next = new Map(current)
  for (const [name, given] of Object.entries(input)) {
    const variable = current.get(name)
    if (!variable) {
      problems.push({ message: `Variable "${name}" is not declared in this workflow.`, variable: name })
      continue
    }
    const value = readValue(given)
    if (variable.type === 'password' && value === maskedValue) continue
    if (fitsType(variable, value)) next.set(name, { ...variable, value })
    else problems.push(wrongType(name, variable))
  }
  return problems.length > 0 ? refuse(...problems) : accept(next)
}

/**
 * Declares the variables of a custom workflow. The type follows the value, unless the long form names one, which is
 * how a custom workflow gets a password or a date.
 */
export function declareVariables(input: Readonly<Record<string, unknown>>): Checked<WorkflowVariables> {
  const problems: Problem[] = []
  const declared = new Map<string, WorkflowVariable>()
  for (const [name, given] of Object.entries(input)) {
    const value = readValue(given)
    const long: Record<string, unknown> = isLongForm(given) ? given : {}
    const named = long['type']
    const type = named === undefined ? inferVariableType(value) : parseVariableType(String(named))
    if (!type) {
      const message = `Variable "${name}" has the unknown type "${String(named)}"; known are ${Object.keys(variableTypes).join(', ')}.`
      problems.push({ message, variable: name })
      continue
    }
    const options = long['options']
    const variable: WorkflowVariable = {
      type,
      required: long['required'] === true,
      displayName: typeof long['displayName'] === 'string' ? long['displayName'] : name,
      ...(Array.isArray(options) && { options: options.filter((option) => typeof option === 'string') }),
      value,
    }
    if (fitsType(variable, value)) declared.set(name, variable)
    else problems.push(wrongType(name, variable))
  }
  return problems.length > 0 ? refuse(...problems) : accept(declared)
}

/** One of the checks before deploying. */
export function findUnsetVariables(variables: WorkflowVariables): Problem[] {
  return [...variables]
    .filter(([, variable]) => variable.required && !isSet(variable.value))
    .map(([name]) => ({ message: `The required variable "${name}" has no value.`, variable: name }))
}

function isLongForm(given: unknown): given is Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  return Object.hasOwn(given, 'value') && Object.keys(given).every((field) => longFormFields.has(field))
}

function readValue(given: unknown): unknown {
  return (isLongForm(given) ? given['value'] : given) ?? null
}

function wrongType(name: string, variable: VariableDefinition): Problem {
  const options = variable.options ? `: ${variable.options.join(', ')}` : ''
  return { message: `Variable "${name}" must be ${variableTypes[variable.type]}${options}.`, variable: name }
}
