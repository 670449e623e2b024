// What a caller decided about one workflow: resolutions of conflicts, and values for what is newly required. They wait sealed, because
// a value may be a password.
import { isGuid } from '@patchbay/contract'
import type { Resolution, Resolutions } from '../engine/merge/conflict.ts'
import { conflictKey } from '../engine/merge/conflict.ts'
import { fitsType, isSet, variableTypes } from '../engine/variable-values.ts'
import type { KeyRing, Place } from '../secrets/index.ts'
import { type Definition, listNeededApplications } from '../workflows/index.ts'
import { refuse } from './target.ts'

export type GivenResolution = {
  workflowId: string
  revision: number
  uniqueBlockId: string
  field: string
  take: 'template' | 'customer' | 'value'
  value?: unknown
}
export type GivenValues = {
  workflowId: string
  variables?: Record<string, unknown>
  applications?: Record<string, string>
}

export type Choices = {
  resolutions: GivenResolution[]
  variables: Record<string, unknown>
  applications: Record<string, string>
}

export const noChoices: Choices = { resolutions: [], variables: {}, applications: {} }

/** By workflow. */
export function gatherChoices(
  resolutions: readonly GivenResolution[],
  values: readonly GivenValues[],
): Map<string, Choices> {
  const choices = new Map<string, Choices>()
  const of = (workflowId: string) => {
    const id = workflowId.toLowerCase()
    const known = choices.get(id) ?? { resolutions: [], variables: {}, applications: {} }
    choices.set(id, known)
    return known
  }
  for (const resolution of resolutions) {
    checkResolution(resolution)
    of(resolution.workflowId).resolutions.push(resolution)
  }
  for (const { workflowId, variables = {}, applications = {} } of values) {
    const known = of(workflowId)
    known.variables = { ...known.variables, ...variables }
    known.applications = { ...known.applications, ...applications }
  }
  return choices
}

function checkResolution({ take, value, field }: GivenResolution): void {
  if (take !== 'value') return
  const isFit =
    (field === 'script' && typeof value === 'string') ||
    (field === 'blockName' && typeof value === 'string' && value.length > 0 && value.length <= 200) ||
    (field === 'dataSources' && Array.isArray(value) && value.length <= 500 && value.every(isGuid))
  if (isFit) return
  throw refuse(
    `A resolution of the field ${field} has a value that does not fit. Give a text for script and blockName, a list of block ids for dataSources; for other fields take template or customer.`,
  )
}

export function toResolutions({ resolutions }: Choices): Resolutions {
  return new Map(
    resolutions.map((given): [string, Resolution] => {
      const { take, value } = given
      const lower = Array.isArray(value) ? value.map((id) => String(id).toLowerCase()) : value
      return [conflictKey(given), take === 'value' ? { take, value: lower } : { take }]
    }),
  )
}

/** The definition with the values, or why they cannot be taken. What the customer gave stays, so only gaps can be filled. */
export function applyValues(
  merged: Definition,
  ours: Definition,
  { variables, applications }: Choices,
): { definition: Definition; problems: string[] } {
  const problems: string[] = []
  const next = merged.variables.map((variable) => {
    if (!Object.hasOwn(variables, variable.name)) return variable
    const value = variables[variable.name] ?? null
    const before = ours.variables.find(({ name }) => name === variable.name)
    if (before && isSet(before.value) && fitsType(variable, before.value)) {
      problems.push(`Variable "${variable.name}" has a value already; values of customers are never changed.`)
    } else if (!fitsType(variable, value)) {
      problems.push(`Variable "${variable.name}" must be ${variableTypes[variable.type]}.`)
    } else return { ...variable, value }
    return variable
  })
  const declared = new Set(merged.variables.map(({ name }) => name))
  for (const name of Object.keys(variables)) {
    if (!declared.has(name)) problems.push(`Variable "${name}" is not declared in the new version.`)
  }
  const needed = new Map(listNeededApplications(merged).map((name) => [name.toUpperCase(), name]))
  const mapped = new Set(Object.keys(ours.applications).map((name) => name.toUpperCase()))
  const added = Object.entries(applications).flatMap(([name, id]): [string, string][] => {
    const shortName = needed.get(name.toUpperCase())
    if (!shortName) problems.push(`The application ${name} is not needed by the new version.`)
    else if (mapped.has(name.toUpperCase())) problems.push(`The application ${name} is mapped already.`)
    else return [[shortName, id.toLowerCase()]]
    return []
  })
  const definition = {
    ...merged,
    variables: next,
    applications: { ...merged.applications, ...Object.fromEntries(added) },
  }
  return { definition, problems }
}

type ItemKey = { upgradeId: string; workflowId: string; accountId: string }

export async function sealChoices(keyRing: KeyRing, key: ItemKey, choices: Choices): Promise<Buffer> {
  return keyRing.seal(placeOf(key), Buffer.from(JSON.stringify(choices), 'utf8'))
}

export async function openChoices(keyRing: KeyRing, key: ItemKey, sealed: Buffer | null): Promise<Choices> {
  if (!sealed) return noChoices
  return JSON.parse((await keyRing.open(placeOf(key), sealed)).toString('utf8')) as Choices
}

function placeOf({ upgradeId, workflowId, accountId }: ItemKey): Place {
  return { table: 'template_upgrade_items', column: 'sealed_choices', rowId: `${upgradeId}/${workflowId}`, accountId }
}
