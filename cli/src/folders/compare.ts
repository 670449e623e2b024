// What differs between two portable workflows, as a flat list of places.
import { isDeepStrictEqual } from 'node:util'
import type { Portable, PortableBlock } from './portable.ts'

export type Change = {
  workflow: string
  change: 'create' | 'update' | 'onlyOnServer'
  /** Where: name, variables.who, blocks.fetch.script … Empty for a workflow as a whole. */
  path: string
  /** On the server; null where there is nothing. */
  from: unknown
  /** In the folder; null where there is nothing. */
  to: unknown
}

export function compare(server: Portable, local: Portable): Change[] {
  const { blocks: from, ...was } = flatten(server)
  const { blocks: to, ...is } = flatten(local)
  const changes = compareRecords(was, is, '')
  const order = (blocks: readonly PortableBlock[]) => blocks.map(({ key }) => key)
  if (!isDeepStrictEqual(order(from), order(to))) changes.push({ path: 'blocks', from: order(from), to: order(to) })
  const serverBlocks = new Map(from.map((block) => [block.key, block]))
  for (const block of to) {
    const known = serverBlocks.get(block.key)
    if (known) changes.push(...compareRecords(flattenBlock(known), flattenBlock(block), `blocks.${block.key}.`))
  }
  return changes.map((change) => ({ workflow: local.name, change: 'update' as const, ...change }))
}

type Place = { path: string; from: unknown; to: unknown }

function compareRecords(from: Record<string, unknown>, to: Record<string, unknown>, prefix: string): Place[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((name) => !isDeepStrictEqual(from[name] ?? null, to[name] ?? null))
    .map((name) => ({ path: prefix + name, from: from[name] ?? null, to: to[name] ?? null }))
}

function spread(name: string, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]))
}

function flatten({ applications, variables, blocks, ...rest }: Portable) {
  return { ...rest, ...spread('applications', applications), ...spread('variables', variables), blocks }
}

function flattenBlock({ key: _, variables, ...rest }: PortableBlock): Record<string, unknown> {
  return { ...rest, ...spread('variables', variables) }
}
