// What changed between two definitions of a workflow, in the terms a person thinks in: settings, variables, applications, blocks.

import { isSameValue } from '../../lib/same-value.ts'
import type { ChainBlock } from '../chain/chain.ts'

export type FieldChange = { name: string; from: unknown; to: unknown }
export type EntryChange = FieldChange & { change: 'added' | 'removed' | 'changed' }
export type VariableChange = EntryChange & { fields: FieldChange[] }
export type BlockChange = {
  uniqueBlockId: string
  blockName: string
  change: 'added' | 'removed' | 'changed' | 'moved'
  fields: FieldChange[]
}

export type Comparable = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly variables: readonly ({ readonly name: string; readonly value?: unknown } & object)[]
  readonly applications: Readonly<Record<string, string>>
  readonly chain: readonly ChainBlock[]
}

export function findDifference(from: Comparable, to: Comparable) {
  return {
    fields: compareFields(from.fields, to.fields),
    variables: compareVariables(from.variables, to.variables),
    applications: compareEntries(from.applications, to.applications),
    blocks: compareBlocks(from.chain, to.chain),
  }
}

/** Absent and null are the same here: neither says anything. */
function compareFields(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>): FieldChange[] {
  return namesOf(from, to).flatMap((name) => {
    const [before, after] = [own(from, name), own(to, name)]
    return isSameValue(before, after) ? [] : [{ name, from: before, to: after }]
  })
}

function compareEntries(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>): EntryChange[] {
  return compareFields(from, to).map((field) => ({ ...field, change: changeOf(from, to, field.name) }))
}

/** `from` and `to` are the values; `fields` is whatever else changed of the variable, its type for example. */
function compareVariables(from: Comparable['variables'], to: Comparable['variables']): VariableChange[] {
  const [before, after] = [byName(from), byName(to)]
  return namesOf(before, after).flatMap((name) => {
    const { name: _from, value: oldValue = null, ...oldRest } = before[name] ?? { name }
    const { name: _to, value: newValue = null, ...newRest } = after[name] ?? { name }
    const change = changeOf(before, after, name)
    const fields = change === 'changed' ? compareFields({ ...oldRest }, { ...newRest }) : []
    const isSame = change === 'changed' && fields.length === 0 && isSameValue(oldValue, newValue)
    return isSame ? [] : [{ name, change, from: oldValue, to: newValue, fields }]
  })
}

export function compareBlocks(from: readonly ChainBlock[], to: readonly ChainBlock[]): BlockChange[] {
  const before = new Map(from.map((block, index) => [block.uniqueBlockId, { block, no: index + 1 }]))
  const after = new Map(to.map((block, index) => [block.uniqueBlockId, { block, no: index + 1 }]))
  const moved = findMoved(from, to)
  const removed = [...before.values()].filter(({ block }) => !after.has(block.uniqueBlockId))
  const kept = [...after.values()].flatMap(({ block, no }): BlockChange[] => {
    const old = before.get(block.uniqueBlockId)
    const named = { uniqueBlockId: block.uniqueBlockId, blockName: block.blockName }
    if (!old) return [{ ...named, change: 'added', fields: compareFields({}, fieldsOf(block)) }]
    const fields = compareFields(fieldsOf(old.block), fieldsOf(block))
    const move = moved.has(block.uniqueBlockId) ? [{ name: 'no', from: old.no, to: no }] : []
    if (fields.length === 0 && move.length === 0) return []
    return [{ ...named, change: fields.length === 0 ? 'moved' : 'changed', fields: [...move, ...fields] }]
  })
  return [
    ...kept,
    ...removed.map(
      ({ block }): BlockChange => ({
        uniqueBlockId: block.uniqueBlockId,
        blockName: block.blockName,
        change: 'removed',
        fields: compareFields(fieldsOf(block), {}),
      }),
    ),
  ]
}

/** Block variables are fields of their own, so that one that changed does not show all of them. `isCustomized` follows from the others. */
function fieldsOf(block: ChainBlock): Record<string, unknown> {
  const { uniqueBlockId: _id, isCustomized: _customized, variables, ...fields } = block
  return {
    ...fields,
    ...Object.fromEntries(Object.entries(variables).map(([name, binding]) => [`variables.${name}`, binding])),
  }
}

/**
 * The fewest blocks whose moving explains the new order. All that kept their order among each other form the longest increasing
 * sequence of old positions; a block added at the top then moves nobody.
 */
function findMoved(from: readonly ChainBlock[], to: readonly ChainBlock[]): Set<string> {
  const oldPosition = new Map(from.map(({ uniqueBlockId }, index) => [uniqueBlockId, index]))
  const kept = to
    .filter(({ uniqueBlockId }) => oldPosition.has(uniqueBlockId))
    .map(({ uniqueBlockId }) => uniqueBlockId)
  const positionOf = (id: string) => oldPosition.get(id) as number
  // endOfLength[n] is the block with the lowest old position that ends an increasing sequence of n + 1 blocks.
  const endOfLength: string[] = []
  const previous = new Map<string, string | undefined>()
  for (const id of kept) {
    const found = endOfLength.findIndex((end) => positionOf(end) >= positionOf(id))
    const length = found < 0 ? endOfLength.length : found
    previous.set(id, endOfLength[length - 1])
    endOfLength[length] = id
  }
  const moved = new Set(kept)
  for (let id = endOfLength.at(-1); id !== undefined; id = previous.get(id)) moved.delete(id)
  return moved
}

function changeOf(from: object, to: object, name: string): EntryChange['change'] {
  if (!Object.hasOwn(from, name)) return 'added'
  return Object.hasOwn(to, name) ? 'changed' : 'removed'
}

function byName<Item extends { readonly name: string }>(items: readonly Item[]): Record<string, Item> {
  const map = Object.create(null) as Record<string, Item>
  for (const item of items) map[item.name] = item
  return map
}

function namesOf(from: object, to: object): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
}

function own(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null
}
