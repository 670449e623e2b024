// A workflow as it is written down: names instead of ids, secrets by the environment variable that holds them.
import { createHash } from 'node:crypto'
import type { flowFieldNames } from '@patchbay/sdk'

export type PortableBinding = { type?: string } & ({ value: unknown } | { env: string } | { workflow: string })

/** `value` is missing where a password is not set. Of a workflow that follows its template, only values are told. */
export type PortableVariable = {
  type?: string
  value?: unknown
  env?: string
  required?: boolean
  displayName?: string
  options?: string[]
}

export type PortableBlock = {
  /** Names the block in this folder: the name of its script file. */
  key: string
  name: string
  script: string
  template?: string
  application?: string
  dataSources: string[]
  variables: Record<string, PortableBinding>
} & PortableFlow

/** When and how often the block runs. `forEach.sameItemsAs` names a block by its key. */
export type PortableFlow = { [Name in (typeof flowFieldNames)[number]]?: unknown }

export type Portable = {
  name: string
  description: string
  template?: { name: string; version?: string; isDetached?: true }
  applications: Record<string, string>
  variables: Record<string, PortableVariable>
  timeoutSeconds?: number
  recordCallBodies: boolean
  blocks: PortableBlock[]
}

/** A workflow that follows its template takes names, scripts and values only. */
export function isBound(workflow: Portable): boolean {
  return workflow.template !== undefined && !workflow.template.isDetached
}

/** A name as a file or variable would be called: small letters, digits and dashes. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return slug || 'unnamed'
}

/** The first of name, name-2, name-3 … that is not taken. Takes it. */
export function takeFree(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let no = 2; taken.has(name); no++) name = `${wanted}-${no}`
  taken.add(name)
  return name
}

export function secretName(...names: string[]): string {
  return names.map((name) => slugOf(name).replaceAll('-', '_').toUpperCase()).join('_')
}

/** Tells whether files were edited since. */
export function digestOf(workflow: Portable): string {
  return createHash('sha256').update(JSON.stringify(workflow)).digest('hex')
}
