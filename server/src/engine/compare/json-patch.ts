// The difference between two JSON values as a JSON Patch (RFC 6902): operations that lead from one to the other. Items of arrays are
// matched by their content, so that one item more at the front is one operation and not a change of all the others.
import { isObject, type Json } from '../../lib/json.ts'

export type PatchOperation = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string }

/** Comparing every item with every other is worth it up to this many pairs. */
const pairsMax = 250_000

export function diffJson(from: Json, to: Json): PatchOperation[] {
  const operations: PatchOperation[] = []
  compare(from, to, '', operations)
  return operations
}

function compare(from: Json, to: Json, path: string, operations: PatchOperation[]): void {
  if (from === to) return
  if (Array.isArray(from) && Array.isArray(to)) compareArrays(from, to, path, operations)
  else if (isObject(from) && isObject(to)) compareObjects(from, to, path, operations)
  else operations.push({ op: 'replace', path, value: to })
}

function compareObjects(
  from: { [key: string]: Json },
  to: { [key: string]: Json },
  path: string,
  operations: PatchOperation[],
): void {
  for (const key of Object.keys(from))
    if (!Object.hasOwn(to, key)) operations.push({ op: 'remove', path: `${path}/${escapeKey(key)}` })
  for (const [key, value] of Object.entries(to)) {
    const place = `${path}/${escapeKey(key)}`
    if (Object.hasOwn(from, key)) compare(from[key] as Json, value, place, operations)
    else operations.push({ op: 'add', path: place, value })
  }
}

function compareArrays(from: Json[], to: Json[], path: string, operations: PatchOperation[]): void {
  const [before, after] = [from.map(textOf), to.map(textOf)]
  let index = 0
  for (const { removed, added, kept } of matchItems(before, after)) {
    const pairs = Math.min(removed.length, added.length)
    for (let pair = 0; pair < pairs; pair++)
      compare(
        from[removed[pair] as number] as Json,
        to[added[pair] as number] as Json,
        `${path}/${index++}`,
        operations,
      )
    for (let rest = pairs; rest < removed.length; rest++) operations.push({ op: 'remove', path: `${path}/${index}` })
    for (const place of added.slice(pairs))
      operations.push({ op: 'add', path: `${path}/${index++}`, value: to[place] as Json })
    index += kept
  }
}

/** Items that have no like on the other side, and how many equal ones follow. */
type Stretch = { removed: number[]; added: number[]; kept: number }

function matchItems(before: readonly string[], after: readonly string[]): Stretch[] {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before[start] === after[start]) start++
  let end = 0
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const [rows, columns] = [before.length - start - end, after.length - start - end]
  const all: Stretch = { removed: range(start, rows), added: range(start, columns), kept: end }
  const lead: Stretch = { removed: [], added: [], kept: start }
  // As many items on both sides: most likely some of them changed in their places.
  if (rows === columns || rows === 0 || columns === 0 || rows * columns > pairsMax) return [lead, all]
  const stretches = longestCommon(before.slice(start, start + rows), after.slice(start, start + columns)).map(
    ({ removed, added, kept }) => ({
      removed: removed.map((place) => place + start),
      added: added.map((place) => place + start),
      kept,
    }),
  )
  return [lead, ...stretches, { removed: [], added: [], kept: end }]
}

/** The longest common subsequence, as stretches around what is common. */
function longestCommon(before: readonly string[], after: readonly string[]): Stretch[] {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] as number
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const stretches: Stretch[] = []
  let stretch: Stretch = { removed: [], added: [], kept: 0 }
  for (let row = 0, column = 0; row < before.length || column < after.length; ) {
    // Past the end of one side there is nothing that could be equal to what is left of the other.
    if (before[row] === after[column]) {
      stretch.kept++
      row++
      column++
      continue
    }
    if (stretch.kept > 0) {
      stretches.push(stretch)
      stretch = { removed: [], added: [], kept: 0 }
    }
    if (column >= after.length || (row < before.length && at(row + 1, column) >= at(row, column + 1)))
      stretch.removed.push(row++)
    else stretch.added.push(column++)
  }
  return [...stretches, stretch]
}

/** Equal for values that are equal, whatever the order of their keys. */
function textOf(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

function range(start: number, length: number): number[] {
  return Array.from({ length }, (_, index) => start + index)
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
