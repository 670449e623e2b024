// What a caller decided about one workflow: resolutions of conflicts, and values for what is newly required. They wait sealed, because
// a value may be a password.
import { blocksMax, isGuid } from '@patchbay/contract'
import type { Resolution, Resolutions } from '../../engine/merge/conflict.ts'
import { conflictKey } from '../../engine/merge/conflict.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
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
  /** By block, then by variable. */
  blocks?: Record<string, Record<string, unknown>>
}

export type Choices = {
  resolutions: GivenResolution[]
  variables: Record<string, unknown>
  applications: Record<string, string>
  blocks: Record<string, Record<string, unknown>>
}

export const noChoices: Choices = { resolutions: [], variables: {}, applications: {}, blocks: {} }

/** By workflow. */
export function gatherChoices(
  resolutions: readonly GivenResolution[],
  values: readonly GivenValues[],
): Map<string, Choices> {
  const choices = new Map<string, Choices>()
  const of = (id: string) => {
    const known = choices.get(id) ?? { resolutions: [], variables: {}, applications: {}, blocks: {} }
    choices.set(id, known)
    return known
  }
  for (const resolution of resolutions) {
    checkResolution(resolution)
    of(resolution.workflowId).resolutions.push(resolution)
  }
  for (const { workflowId, variables = {}, applications = {}, blocks = {} } of values) {
    const known = of(workflowId)
    known.variables = { ...known.variables, ...variables }
    known.applications = { ...known.applications, ...applications }
    for (const [blockId, ofBlock] of Object.entries(blocks)) {
      const id = blockId.toLowerCase()
      known.blocks[id] = { ...known.blocks[id], ...ofBlock }
    }
  }
  return choices
}

function checkResolution({ take, value, field }: GivenResolution): void {
  if (take !== 'value') return
  const isFit =
    (field === 'script' && typeof value === 'string') ||
    (field === 'blockName' && typeof value === 'string' && value.length > 0 && value.length <= 200) ||
    (field === 'dataSources' && Array.isArray(value) && value.length <= blocksMax && value.every(isGuid))
  if (isFit) return
  throw refuse(
    `A resolution of the field ${field} has a value that does not fit. Give a string for script and blockName, a list of block ids for dataSources; for other fields take template or customer.`,
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

type ItemKey = { upgradeId: string; workflowId: string; accountId: string }

export async function sealChoices(keyRing: KeyRing, key: ItemKey, choices: Choices): Promise<Buffer> {
  return keyRing.seal(placeOf(key), Buffer.from(JSON.stringify(choices), 'utf8'))
}

export async function openChoices(keyRing: KeyRing, key: ItemKey, sealed: Buffer | null): Promise<Choices> {
  if (!sealed) return noChoices
  return { ...noChoices, ...(JSON.parse((await keyRing.open(placeOf(key), sealed)).toString('utf8')) as Choices) }
}

function placeOf({ upgradeId, workflowId, accountId }: ItemKey): Place {
  return { table: 'template_upgrade_items', column: 'sealed_choices', rowId: `${upgradeId}/${workflowId}`, accountId }
}
