// When and how often a block runs, in files: as the service has it, but with blocks named by their keys.
import { flowFieldNames } from '@patchbay/sdk'
import type { PortableFlow } from './portable.ts'

type Rename = (name: string) => string | undefined

/** Only the fields that are set. */
export function flowOf(block: PortableFlow, keyOf: Rename): PortableFlow {
  return Object.fromEntries(
    flowFieldNames
      .filter((name) => block[name] !== null && block[name] !== undefined)
      .map((name) => [name, rename(name, block[name], keyOf)]),
  )
}

/** Fields that the file does not have are taken away. */
export function flowInput(block: PortableFlow, idOf: Rename): Record<string, unknown> {
  return Object.fromEntries(flowFieldNames.map((name) => [name, rename(name, block[name] ?? null, idOf)]))
}

function rename(name: keyof PortableFlow, value: unknown, to: Rename): unknown {
  const source = (value as { sameItemsAs?: string } | null)?.sameItemsAs
  if (name !== 'forEach' || source === undefined) return value
  return { ...(value as object), sameItemsAs: to(source) ?? source }
}
