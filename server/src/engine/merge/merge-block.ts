import { flowFieldNames } from '@patchbay/contract/client-values'
import { isSameValue } from '../../lib/same-value.ts'
import { type ChainBlock, nameBlock, type VariableBinding } from '../chain/chain.ts'
import { type FlowFields, type ForEach, freeInForEach, structureOf } from '../chain/flow-fields.ts'
import type { Findings } from './conflict.ts'
import { isSameText, mergeLines } from './merge-lines.ts'

type Field = 'blockName' | 'blockTemplateId' | 'applicationShortName' | 'dataSources'
const plainFields: readonly Field[] = ['blockName', 'blockTemplateId', 'applicationShortName', 'dataSources']
const wholeFields = flowFieldNames.filter((name) => name !== 'forEach')

type Sides = { base: ChainBlock | undefined; ours: ChainBlock; theirs: ChainBlock }

export type BlockRules = {
  readonly findings: Findings
  /** Blocks whose combined script does not compile. */
  readonly rejected: ReadonlySet<string>
  /** Called for each script that was put together from both sides. */
  onCombined(block: ChainBlock): void
}

/** A block that both sides have. Without a base both have added it. */
export function mergeBlock(sides: Sides, rules: BlockRules): ChainBlock {
  const { base, ours, theirs } = sides
  const merged: Record<string, unknown> = { ...ours }
  for (const field of plainFields) {
    const values = { base: base?.[field] ?? null, ours: ours[field], theirs: theirs[field] }
    merged[field] = pick(values, isSameValue, () => decide(sides, field, values, rules.findings))
  }
  for (const [field, value] of mergeFlow(sides, rules.findings)) {
    if (value === null) delete merged[field]
    else merged[field] = value
  }
  const block = {
    ...(merged as ChainBlock),
    script: mergeScript(sides, rules),
    variables: mergeBindings(sides, rules.findings),
  }
  return { ...block, isCustomized: ours.isCustomized && !isSameBlock(block, theirs) }
}

/** By content: whether somebody marked it as customized says nothing. */
export function isSameBlock(one: ChainBlock, other: ChainBlock): boolean {
  const { script, isCustomized: _customized, ...rest } = one
  const { script: otherScript, isCustomized: _otherCustomized, ...otherRest } = other
  return isSameText(script, otherScript) && isSameValue(rest, otherRest)
}

/** Null where the merged block says nothing. */
function mergeFlow(sides: Sides, findings: Findings): [keyof FlowFields, unknown][] {
  const { base, ours, theirs } = sides
  const whole = wholeFields.map((field): [keyof FlowFields, unknown] => {
    const values = { base: base?.[field] ?? null, ours: ours[field] ?? null, theirs: theirs[field] ?? null }
    return [field, pick<unknown>(values, isSameValue, () => decide(sides, field, values, findings))]
  })
  return [...whole, ['forEach', mergeForEach(sides, findings)]]
}

/** What a customer may change of it merges by itself. */
function mergeForEach(sides: Sides, findings: Findings): ForEach | null {
  const all = [sides.base?.forEach, sides.ours.forEach, sides.theirs.forEach]
  if (all.every((forEach) => forEach === undefined)) return null
  const of = <Value>(read: (forEach: ForEach) => Value) => {
    const [base = null, ours = null, theirs = null] = all.map((forEach) => (forEach ? (read(forEach) ?? null) : null))
    return { base, ours, theirs }
  }
  const structures = of(structureOf)
  const structure = pick(structures, isSameValue, () => decide(sides, 'forEach', structures, findings))
  if (structure === null) return null
  const free = freeInForEach.flatMap((name) => {
    const values = of<unknown>((forEach) => forEach[name])
    const value = pick(values, isSameValue, () => decide(sides, `forEach.${name}`, values, findings))
    return value === null ? [] : [[name, value]]
  })
  // In the order in which the customer or the template gave them.
  const merged: Record<string, unknown> = { ...structure, ...Object.fromEntries(free) }
  const order = Object.keys(sides.ours.forEach ?? sides.theirs.forEach ?? {})
  const known = order.filter((name) => Object.hasOwn(merged, name)).map((name) => [name, merged[name]])
  return { ...Object.fromEntries(known), ...merged }
}

type Values<Value> = { base: unknown; ours: Value; theirs: Value }

function pick<Value>(
  { base, ours, theirs }: Values<Value>,
  isSame: (one: unknown, other: unknown) => boolean,
  decideBoth: () => Value,
): Value {
  if (isSame(ours, theirs) || isSame(theirs, base)) return ours
  return isSame(ours, base) ? theirs : decideBoth()
}

/** Ours as long as nobody decided: a merge with conflicts is shown, never stored. */
function decide<Value>(sides: Sides, field: string, values: Values<Value>, findings: Findings): Value {
  const { uniqueBlockId, blockName } = sides.ours
  const resolution = findings.resolve({ uniqueBlockId, blockName, field, ...values })
  if (resolution?.take === 'value') return resolution.value as Value
  return resolution?.take === 'template' ? values.theirs : values.ours
}

function mergeScript(sides: Sides, rules: BlockRules): string {
  const values = { base: sides.base?.script ?? '', ours: sides.ours.script, theirs: sides.theirs.script }
  // An untouched script follows the template to the letter, line ends included.
  if (values.ours === sides.base?.script) return values.theirs
  const isSame = (one: unknown, other: unknown) => isSameText(String(one), String(other))
  return pick(values, isSame, () => {
    const combined = sides.base && mergeLines(values.base, values.ours, values.theirs)
    if (combined === undefined || rules.rejected.has(sides.ours.uniqueBlockId)) {
      return decide(sides, 'script', { ...values, base: sides.base?.script ?? null }, rules.findings)
    }
    rules.onCombined({ ...sides.ours, script: combined })
    return combined
  })
}

/** The customer's value stays whatever the template does; a value that is still the old default follows the new one. */
function mergeBindings({ base, ours, theirs }: Sides, findings: Findings): ChainBlock['variables'] {
  const names = new Set([...Object.keys(ours.variables), ...Object.keys(theirs.variables)])
  const entries = [...names].flatMap((name): [string, VariableBinding][] => {
    const [was, mine, yours] = [base, ours, theirs].map((block) => bindingOf(block, name))
    const binding = pick<VariableBinding | undefined>({ base: was, ours: mine, theirs: yours }, isSameValue, () => {
      findings.notes.push(
        `The template changed the variable "${name}" of block ${nameBlock(ours)}, but the customer's value is kept.`,
      )
      return mine
    })
    return binding ? [[name, binding]] : []
  })
  return Object.fromEntries(entries)
}

function bindingOf(block: ChainBlock | undefined, name: string): VariableBinding | undefined {
  return block && Object.hasOwn(block.variables, name) ? block.variables[name] : undefined
}
