import { type ChainBlock, nameBlock, type VariableBinding } from '../chain/chain.ts'
import { isSameValue } from '../compare/same-value.ts'
import type { Findings } from './conflict.ts'
import { isSameText, mergeLines } from './merge-lines.ts'

type Field = 'blockName' | 'blockTemplateId' | 'applicationShortName' | 'dataSources'
const plainFields: readonly Field[] = ['blockName', 'blockTemplateId', 'applicationShortName', 'dataSources']

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
