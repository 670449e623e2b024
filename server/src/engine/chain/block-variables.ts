// How a request changes the variables of one block.
import { maskedValue } from '@patchbay/contract/client-values'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'
import {
  fitsType,
  parseVariableType,
  type VariableDefinition,
  type VariableType,
  variableTypes,
} from '../variables/variable-values.ts'
import { parseBinding } from './bindings.ts'
import { type ChainBlock, nameBlock, type VariableBinding } from './chain.ts'
import type { ElementRules } from './element-rules.ts'

type Known = { stored: VariableBinding | undefined; definition: VariableDefinition | undefined }

/** The stored bindings with the given ones put over them; the very same object when nothing changes. */
export function mergeVariables(
  block: ChainBlock,
  given: Readonly<Record<string, unknown>>,
  rules: ElementRules,
): Checked<ChainBlock['variables']> {
  const definitions = rules.blockTemplates.get(block.blockTemplateId ?? '')?.variables
  const problems: Problem[] = []
  const next = new Map(Object.entries(block.variables))
  let isChanged = false
  for (const [name, input] of Object.entries(given)) {
    const known: Known = {
      stored: next.get(name),
      definition: definitions && Object.hasOwn(definitions, name) ? definitions[name] : undefined,
    }
    const problem = (why: string) => problems.push({ message: `Variable "${name}" ${why}` })
    if (isDeletion(input)) {
      if (rules.isBound)
        problem(`of block ${nameBlock(block)} comes from the template. To remove it, set unboundFromTemplate to true.`)
      else if (!next.delete(name)) problem(`is not declared in block ${nameBlock(block)}.`)
      else isChanged = true
      continue
    }
    const read = readBinding(block, { name, input }, known, rules)
    if (!read.ok) problems.push(...read.problems)
    else if (!known.stored || !sameBinding(known.stored, read.value)) {
      next.set(name, read.value)
      isChanged = true
    }
  }
  if (problems.length > 0) return refuse(...problems)
  return accept(isChanged ? Object.fromEntries(next) : block.variables)
}

function isDeletion(input: unknown): boolean {
  return (input as { isDeleted?: unknown } | null)?.isDeleted === true
}

function readBinding(
  block: ChainBlock,
  { name, input }: { name: string; input: unknown },
  { stored, definition }: Known,
  rules: ElementRules,
): Checked<VariableBinding> {
  const refused = (why: string) => refuse<VariableBinding>({ message: `Variable "${name}" ${why}` })
  const given = readType(input)
  if (given === null) return refused(`has an unknown type. Known types: ${Object.keys(variableTypes).join(', ')}.`)
  // A block without a template says itself which variables it has, as long as its workflow is not bound to one.
  const mayAdd = !rules.isBound && (block.blockTemplateId === null || given !== undefined)
  if (!stored && !definition && !mayAdd) {
    const hint = rules.isBound ? '' : ' Give its type to add it.'
    return refused(`is not declared in block ${nameBlock(block)}.${hint}`)
  }
  const before = stored?.type ?? definition?.type
  const type = given ?? before
  if (rules.isBound && type !== before)
    return refused(
      `of block ${nameBlock(block)} has its type from the template. To change it, set unboundFromTemplate to true.`,
    )
  const parsed = stored && isTypeOnly(input) ? accept(stored) : parseBinding(name, input)
  if (!parsed.ok) return parsed
  const kept = keepMasked(parsed.value, stored, before, type)
  if (!kept)
    return refused(`of block ${nameBlock(block)} is a password and has no stored value to keep. Give its value.`)
  const options = definition?.options && type === definition.type ? { options: definition.options } : {}
  if (kept.variableSource === 'Value' && type !== undefined && !fitsType({ type, ...options }, kept.value))
    return refused(`of block ${nameBlock(block)} must be ${variableTypes[type]}.`)
  const { type: _type, ...binding } = kept
  return accept(type === undefined || type === definition?.type ? binding : { ...binding, type })
}

/** Undefined when no type is given, null when it is none. */
function readType(input: unknown): VariableType | undefined | null {
  const type = (input as { type?: unknown } | null)?.type
  if (type === undefined || type === null) return undefined
  return (typeof type === 'string' ? parseVariableType(type) : undefined) ?? null
}

function isTypeOnly(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).every((field) => field === 'type')
}

/** Stars stand for the stored password. It stays a password: under another type everybody could read it. Undefined when there is none to keep. */
function keepMasked(
  binding: VariableBinding,
  stored: VariableBinding | undefined,
  before: VariableType | undefined,
  type: VariableType | undefined,
): VariableBinding | undefined {
  if (binding.variableSource !== 'Value') return binding
  const isKept = binding === stored
  const isMasked = binding.value === maskedValue && (type === 'password' || before === 'password')
  if (!isMasked && !(isKept && before === 'password' && type !== 'password' && binding.value !== null)) return binding
  const hasStored = stored?.variableSource === 'Value' && stored.value !== null
  return before === 'password' && type === 'password' && hasStored ? stored : undefined
}

function sameBinding(one: VariableBinding, other: VariableBinding): boolean {
  if (one.type !== other.type) return false
  if (one.variableSource === 'Workflow') {
    return other.variableSource === 'Workflow' && one.variableName === other.variableName
  }
  // Another order of keys is another value: whoever wrote it so wants to see it so.
  return other.variableSource === 'Value' && JSON.stringify(one.value) === JSON.stringify(other.value)
}
