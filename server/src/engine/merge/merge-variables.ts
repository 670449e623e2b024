import { isSameValue } from '../../lib/same-value.ts'
import type { ChainBlock, VariableBinding } from '../chain/chain.ts'
import { isSet } from '../variables/variable-values.ts'
import type { Findings } from './conflict.ts'
import { mergeOrder } from './merge-order.ts'
import type { Mergeable, NamedVariable } from './mergeable.ts'

type Sides = { readonly base: Mergeable; readonly ours: Mergeable; readonly theirs: Mergeable }

/** The variables of the workflow. What a block still binds to stays, and so does whatever the customer gave a value. */
export function mergeVariables(
  { base, ours, theirs }: Sides,
  chain: readonly ChainBlock[],
  findings: Findings,
): NamedVariable[] {
  const [was, mine, yours] = [base, ours, theirs].map(byName) as [Variables, Variables, Variables]
  const bound = new Set(chain.flatMap(({ variables }) => Object.values(variables).map(boundName)))
  const merged: Variables = new Map()
  for (const name of new Set([...mine.keys(), ...yours.keys()])) {
    const sides = { base: was.get(name), ours: mine.get(name), theirs: yours.get(name) }
    const variable = mergeVariable(sides, bound.has(name), findings)
    if (variable) merged.set(name, variable)
  }
  const names = [was, mine, yours].map((variables) => [...variables.keys()]) as [string[], string[], string[]]
  return mergeOrder(...names, new Set(merged.keys())).flatMap((name) => merged.get(name) ?? [])
}

type Variables = Map<string, NamedVariable>
type VariableSides = {
  base: NamedVariable | undefined
  ours: NamedVariable | undefined
  theirs: NamedVariable | undefined
}

function mergeVariable({ base, ours, theirs }: VariableSides, isBound: boolean, findings: Findings) {
  if (!ours) return !base || isBound ? theirs : undefined
  const isUntouched = base !== undefined && isSameValue(ours.value, base.value)
  if (!theirs) return isUntouched && !isBound ? undefined : ours
  const declaration = isDeclaredSame(theirs, base) ? ours : theirs
  if (isUntouched) return { ...declaration, value: theirs.value }
  if (base && !isSameValue(theirs.value, base.value) && !isSameValue(theirs.value, ours.value)) {
    findings.notes.push(`The template changed the variable "${ours.name}", but the customer's value is kept.`)
  }
  // Under another type everybody could read the password.
  const type = ours.type === 'password' && isSet(ours.value) ? ours.type : declaration.type
  return { ...declaration, type, value: ours.value }
}

function isDeclaredSame(one: NamedVariable, other: NamedVariable | undefined): boolean {
  return other !== undefined && isSameValue({ ...one, value: null }, { ...other, value: null })
}

function byName({ variables }: Mergeable): Variables {
  return new Map(variables.map((variable) => [variable.name, variable]))
}

function boundName(binding: VariableBinding): string | undefined {
  return binding.variableSource === 'Workflow' ? binding.variableName : undefined
}
