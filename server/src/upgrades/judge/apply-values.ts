// Puts the values that a caller gave for newly required variables and applications into a merged definition.
import { type ChainBlock, nameBlock } from '../../engine/chain/chain.ts'
import { typeOf } from '../../engine/merge/merge-declarations.ts'
import type { MisfitProblem } from '../../engine/merge/misfits.ts'
import { fitsType, isSet, variableTypes } from '../../engine/variables/variable-values.ts'
import { type Definition, listNeededApplications } from '../../workflows/index.ts'
import type { Choices } from '../target/choices.ts'

type Sides = { merged: Definition; ours: Definition }

/** The definition with the values, or why they cannot be taken. What the customer gave stays, so only gaps can be filled. */
export function applyValues(
  merged: Definition,
  ours: Definition,
  { variables, applications, blocks }: Choices,
): { definition: Definition; problems: string[] } {
  const problems: string[] = []
  const definition = {
    ...merged,
    variables: fillVariables({ merged, ours }, variables, problems),
    chain: fillBlocks({ merged, ours }, blocks, problems),
    applications: { ...merged.applications, ...mapApplications({ merged, ours }, applications, problems) },
  }
  return { definition, problems }
}

/** Whether a value was given in place of one that no longer fits. */
export function isMended({ variable, uniqueBlockId }: MisfitProblem, choices: Choices): boolean {
  const given = uniqueBlockId === undefined ? choices.variables : choices.blocks[uniqueBlockId]
  return given !== undefined && Object.hasOwn(given, variable)
}

function fillVariables({ merged, ours }: Sides, given: Choices['variables'], problems: string[]) {
  const declared = new Set(merged.variables.map(({ name }) => name))
  for (const name of Object.keys(given)) {
    if (!declared.has(name)) problems.push(`Variable "${name}" is not declared in the new version.`)
  }
  return merged.variables.map((variable) => {
    if (!Object.hasOwn(given, variable.name)) return variable
    const value = given[variable.name] ?? null
    const before = ours.variables.find(({ name }) => name === variable.name)
    if (before && isSet(before.value) && fitsType(variable, before.value)) {
      problems.push(`Variable "${variable.name}" already has a value; customer values are never changed.`)
    } else if (!fitsType(variable, value)) {
      problems.push(`Variable "${variable.name}" must be ${variableTypes[variable.type]}.`)
    } else return { ...variable, value }
    return variable
  })
}

function fillBlocks({ merged, ours }: Sides, given: Choices['blocks'], problems: string[]): readonly ChainBlock[] {
  const known = new Set(merged.chain.map(({ uniqueBlockId }) => uniqueBlockId))
  for (const id of Object.keys(given)) if (!known.has(id)) problems.push(`The new version has no block ${id}.`)
  return merged.chain.map((block) => {
    const own = given[block.uniqueBlockId]
    if (!own) return block
    const before = ours.chain.find(({ uniqueBlockId }) => uniqueBlockId === block.uniqueBlockId)
    const filled = Object.entries(own).flatMap(([name, value]) => {
      const problem = findMisfit({ merged, block, before }, name, value)
      if (problem === undefined) return [[name, { ...typeGiven(block, name), variableSource: 'Value', value }] as const]
      problems.push(`Variable "${name}" of block ${nameBlock(block)} ${problem}`)
      return []
    })
    return { ...block, variables: { ...block.variables, ...Object.fromEntries(filled) } }
  })
}

function findMisfit(
  { merged, block, before }: { merged: Definition; block: ChainBlock; before: ChainBlock | undefined },
  name: string,
  value: unknown,
): string | undefined {
  const declared = block.blockTemplateId === null ? undefined : merged.blockVariables[block.blockTemplateId]
  const declaration = declared && Object.hasOwn(declared, name) ? declared[name] : undefined
  const binding = Object.hasOwn(block.variables, name) ? block.variables[name] : undefined
  if (!declaration && !binding) return 'is not declared in the new version.'
  const type = typeOf(block, name, merged.blockVariables)
  const fits = (one: unknown) =>
    type === undefined || fitsType({ type, ...(declaration?.options && { options: declaration.options }) }, one)
  const old = before && Object.hasOwn(before.variables, name) ? before.variables[name] : undefined
  const isGiven = old && (old.variableSource === 'Workflow' || (isSet(old.value) && fits(old.value)))
  if (isGiven) return 'already has a value; customer values are never changed.'
  return fits(value ?? null) || type === undefined ? undefined : `must be ${variableTypes[type]}.`
}

function typeGiven({ variables }: ChainBlock, name: string) {
  const type = Object.hasOwn(variables, name) ? variables[name]?.type : undefined
  return type === undefined ? {} : { type }
}

function mapApplications({ merged, ours }: Sides, given: Choices['applications'], problems: string[]) {
  const needed = new Map(listNeededApplications(merged).map((name) => [name.toUpperCase(), name]))
  const mapped = new Set(Object.keys(ours.applications).map((name) => name.toUpperCase()))
  const added = Object.entries(given).flatMap(([name, id]): [string, string][] => {
    const shortName = needed.get(name.toUpperCase())
    if (!shortName) problems.push(`The application ${name} is not needed by the new version.`)
    else if (mapped.has(name.toUpperCase())) problems.push(`The application ${name} is already mapped.`)
    else return [[shortName, id]]
    return []
  })
  return Object.fromEntries(added)
}
