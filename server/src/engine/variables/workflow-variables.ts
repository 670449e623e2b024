import { maskedValue } from '@patchbay/contract/client-values'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'
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

/** The fields `WorkflowApiDto` shows for a variable, and what removes one; an object of these alone is the long form. */
const longFormFields = new Set(['value', 'type', 'required', 'displayName', 'options', 'isDeleted'])

/**
 * Sets values of declared variables, each given bare or as `{value}`; variables that are not named stay as they are.
 * Null unsets one. As long as the workflow follows a template, that decides which variables there are and of which type;
 * afterwards they can be added with a `type`, changed and removed.
 */
export function setVariables(
  current: WorkflowVariables,
  input: Readonly<Record<string, unknown>>,
  isBound: boolean,
): Checked<WorkflowVariables> {
  const problems: Problem[] = []
  const next = new Map(current)
  for (const [name, given] of Object.entries(input)) {
    const variable = current.get(name)
    const long = readLongForm(given, variable)
    const isDeleted = long?.['isDeleted'] === true
    if (!variable && (isBound || isDeleted || (long?.['type'] ?? undefined) === undefined)) {
      const hint = isBound || isDeleted ? '' : ' Give its type to add it.'
      problems.push({ message: `Variable "${name}" is not declared in this workflow.${hint}` })
    } else if (isDeleted && isBound) problems.push(fromTemplate(name))
    else if (isDeleted) next.delete(name)
    else {
      const read = readVariable(name, given, long, variable)
      if (!read.ok) problems.push(...read.problems)
      else if (variable && isBound && isDeclaredElse(read.value, variable)) problems.push(fromTemplate(name))
      else next.set(name, read.value)
    }
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
    const read = readVariable(name, given, readLongForm(given, undefined), undefined)
    if (read.ok) declared.set(name, read.value)
    else problems.push(...read.problems)
  }
  return problems.length > 0 ? refuse(...problems) : accept(declared)
}

/** A variable as it is after the request; what the request does not say stays as it was. */
function readVariable(
  name: string,
  given: unknown,
  long: Record<string, unknown> | undefined,
  before: WorkflowVariable | undefined,
): Checked<WorkflowVariable> {
  const hasValue = !long || Object.hasOwn(long, 'value')
  const value = (hasValue ? (long ? long['value'] : given) : before?.value) ?? null
  const named = long?.['type'] ?? undefined
  const type = named === undefined ? (before?.type ?? inferVariableType(value)) : parseVariableType(String(named))
  if (!type) {
    const known = Object.keys(variableTypes).join(', ')
    return refuse({
      message: `Variable "${name}" has the unknown type "${String(named)}". Known types: ${known}.`,
    })
  }
  const isMasked = value === maskedValue && (type === 'password' || before?.type === 'password')
  // A stored password stays one: under another type everybody could read it.
  const isKept = isMasked || (!hasValue && before?.type === 'password' && type !== 'password')
  const canKeep = before?.type === 'password' && type === 'password' && isSet(before.value)
  if (isKept && !canKeep && value !== null) {
    return refuse({
      message: `Variable "${name}" is a password and has no stored value to keep. Give its value.`,
    })
  }
  const options = long?.['options'] ?? before?.options
  const variable: WorkflowVariable = {
    type,
    required: typeof long?.['required'] === 'boolean' ? long['required'] : (before?.required ?? false),
    displayName: typeof long?.['displayName'] === 'string' ? long['displayName'] : (before?.displayName ?? name),
    ...(Array.isArray(options) && { options: options.filter((option) => typeof option === 'string') }),
    value: isKept ? before?.value : value,
  }
  return fitsType(variable, variable.value) ? accept(variable) : refuse(wrongType(name, variable))
}

function isDeclaredElse(one: WorkflowVariable, other: WorkflowVariable): boolean {
  const declaration = ({ type, required, displayName, options }: WorkflowVariable) =>
    JSON.stringify([type, required, displayName, options ?? null])
  return declaration(one) !== declaration(other)
}

function fromTemplate(name: string): Problem {
  const message = `Variable "${name}" comes from the template: only its value can change. To change the rest, set unboundFromTemplate to true.`
  return { message }
}

/** One of the checks before deploying. */
export function findUnsetVariables(variables: WorkflowVariables): Problem[] {
  return [...variables]
    .filter(([, variable]) => variable.required && !isSet(variable.value))
    .map(([name]) => ({
      message: `The required variable "${name}" has no value.`,
      need: { kind: 'variable', name },
    }))
}

/** Undefined for a bare value. Without `value` it is the long form only where nothing else can be meant. */
function readLongForm(given: unknown, variable: WorkflowVariable | undefined): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const fields = given as Record<string, unknown>
  if (!Object.keys(fields).every((field) => longFormFields.has(field))) return undefined
  if (Object.hasOwn(fields, 'value') || fields['isDeleted'] === true) return fields
  // Only a json variable can have an object as its value.
  if (variable && variable.type !== 'json') return fields
  const namesType = typeof fields['type'] === 'string' && parseVariableType(fields['type']) !== undefined
  return namesType && !variable ? fields : undefined
}

function wrongType(name: string, variable: VariableDefinition): Problem {
  const options = variable.options ? `: ${variable.options.join(', ')}` : ''
  return { message: `Variable "${name}" must be ${variableTypes[variable.type]}${options}.` }
}
