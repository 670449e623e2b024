// The list of a block with items: evaluated once, checked, and recorded before the first item starts.
import type { ForEach } from '../../engine/chain/flow-fields.ts'
import type { Json } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { ListedItem } from '../record/item-store.ts'

const itemsMax = 100_000
const itemBytesMax = 1_048_576
const keyCharactersMax = 200
/** Of the whole list, as one answer of a script. */
export const listBytesMax = 64 * 1_048_576

/** One script for list and keys. Faults of the key are told apart from those of the list. */
export function listScript({ items = 'Datasource[0]', key }: ForEach): string {
  const keyOf =
    key === undefined
      ? 'null'
      : `(function (api, myVault, email, sleep, events) { return function (item, index) { return (\n${key}\n) } })()`
  return `[(function (api, myVault, email, sleep, events) {
    const list = (\n${items}\n);
    if (list === null || list === undefined) return { items: [], keys: [] };
    if (!Array.isArray(list)) return { isArray: false };
    if (list.length > ${itemsMax}) return { count: list.length };
    const keyOf = ${keyOf};
    const items = [], keys = [];
    for (let index = 0; index < list.length; index++) {
      items.push(list[index] === undefined ? null : list[index]);
      if (keyOf === null) { keys.push(index); continue }
      let key;
      try { key = keyOf(list[index], index) } catch (error) {
        return { keyError: String(error && error.message !== undefined ? error.name + ': ' + error.message : error) }
      }
      keys.push(typeof key === 'string' || typeof key === 'number' ? key : null)
    }
    return { items, keys };
  })()]`
}

type Told = {
  items?: Json[]
  keys?: (string | number | null)[]
  isArray?: false
  count?: number
  keyError?: string
}

/** The list, or a sentence that says why there is none. */
export function readList(blockName: string, value: Json | JsonText): { list: ListedItem[] } | { problem: string } {
  const told = (value instanceof JsonText ? JSON.parse(value.text) : value) as Told
  const items = (why: string) => ({ problem: `The items of block "${blockName}" failed: ${why}` })
  const keyed = (why: string) => ({ problem: `The item key of block "${blockName}" failed: ${why}` })
  if (told.isArray === false) return items('they are not an array.')
  if (told.count !== undefined) return items(`there are ${told.count}, and a block takes at most ${itemsMax}.`)
  if (told.keyError !== undefined) return keyed(told.keyError)
  const list: ListedItem[] = []
  const seen = new Set<string>()
  for (const [index, item] of (told.items ?? []).entries()) {
    const given = told.keys?.[index] ?? null
    const key = given === null ? '' : String(given)
    if (key === '') return keyed(`the item at index ${index} has no key.`)
    if (key.length > keyCharactersMax) return keyed(`the key of the item at index ${index} is too long.`)
    if (seen.has(key)) return keyed(`the key ${JSON.stringify(key)} is used twice.`)
    if (!key.isWellFormed() || key.includes('\0'))
      return keyed(`the key of the item at index ${index} cannot be stored.`)
    if (item !== null && typeof item === 'object' && JSON.stringify(item).length > itemBytesMax)
      return items(`the item ${JSON.stringify(key)} is larger than 1 MiB.`)
    if (typeof item === 'string' && item.length > itemBytesMax)
      return items(`the item ${JSON.stringify(key)} is larger than 1 MiB.`)
    seen.add(key)
    list.push({ key, item })
  }
  return { list }
}

/** For a partial run that was asked for some items only. */
export function pickItems(
  blockName: string,
  list: readonly ListedItem[],
  keys: readonly string[] | undefined,
): { list: readonly ListedItem[] } | { problem: string } {
  if (keys === undefined) return { list }
  const wanted = new Set(keys)
  const picked = list.filter(({ key }) => wanted.has(key))
  if (picked.length > 0) return { list: picked }
  return { problem: `The items of block "${blockName}" failed: it has none of the items that the run was asked for.` }
}

/** How many items may fail before the block does. */
export function failuresAllowed(maxFailures: ForEach['maxFailures'], total: number): number {
  if (maxFailures === 'all') return total
  if (typeof maxFailures === 'string') return Math.floor((total * Number.parseInt(maxFailures, 10)) / 100)
  return maxFailures ?? 0
}
