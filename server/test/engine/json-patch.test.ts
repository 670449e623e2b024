import { describe, expect, it } from 'vitest'
import { diffJson, type PatchOperation } from '../../src/engine/compare/json-patch.ts'
import type { Json } from '../../src/lib/json.ts'
import { Random } from '../harness/random.ts'

describe('the difference of two JSON values', () => {
  it.each<[Json, Json, PatchOperation[]]>([
    [1, 1, []],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [null, { a: 1 }, [{ op: 'replace', path: '', value: { a: 1 } }]],
    [
      { a: 1, 'x/y~z': 1 },
      { 'x/y~z': 2, c: null },
      [
        { op: 'remove', path: '/a' },
        { op: 'replace', path: '/x~1y~0z', value: 2 },
        { op: 'add', path: '/c', value: null },
      ],
    ],
    [[1, 2, 3], [0, 1, 2, 3], [{ op: 'add', path: '/0', value: 0 }]],
    [[1, 2, 3], [1, 3], [{ op: 'remove', path: '/1' }]],
    [
      [
        { id: 1, n: 1 },
        { id: 2, n: 1 },
      ],
      [
        { id: 1, n: 1 },
        { id: 2, n: 5 },
      ],
      [{ op: 'replace', path: '/1/n', value: 5 }],
    ],
    [{}, [], [{ op: 'replace', path: '', value: [] }]],
    // As many items on both sides: each changed in its place.
    [
      [1, 2, 3],
      [2, 3, 4],
      [
        { op: 'replace', path: '/0', value: 2 },
        { op: 'replace', path: '/1', value: 3 },
        { op: 'replace', path: '/2', value: 4 },
      ],
    ],
    // Items that both have stay where they are, and what lies between them is changed, removed or added.
    [
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['b', 'x', 'd', 'f'],
      [
        { op: 'remove', path: '/0' },
        { op: 'replace', path: '/1', value: 'x' },
        { op: 'remove', path: '/3' },
      ],
    ],
    [
      ['z', 'a', 'c', 'q', 'w'],
      ['z', 'n', 'a', 'm', 'c', 'o', 'w'],
      [
        { op: 'add', path: '/1', value: 'n' },
        { op: 'add', path: '/3', value: 'm' },
        { op: 'replace', path: '/5', value: 'o' },
      ],
    ],
    // Another order of keys is the same item.
    [[{ a: 1, b: { c: 1, d: 2 } }, 5], [{ b: { d: 2, c: 1 }, a: 1 }], [{ op: 'remove', path: '/1' }]],
    [[{ a: 1, b: 2, c: 3 }], [{ x: 0 }, { b: 2, c: 3, a: 1 }], [{ op: 'add', path: '/0', value: { x: 0 } }]],
    // Where as much can be kept either way, what goes goes first.
    [
      ['a', 'b', 'x'],
      ['b', 'a'],
      [
        { op: 'remove', path: '/0' },
        { op: 'replace', path: '/1', value: 'a' },
      ],
    ],
  ])('from %j to %j', (from, to, operations) => {
    expect(diffJson(from, to)).toEqual(operations)
  })

  it('leads from any value to any other', () => {
    const random = new Random(7)
    for (let round = 0; round < 3000; round++) {
      const from = anyValue(random, 3)
      const to = random.chance(0.5) ? anyValue(random, 3) : alter(random, from)
      expect(apply(from, diffJson(from, to)), JSON.stringify({ from, to })).toEqual(to)
    }
  })

  it('keeps as many items of two lists of different lengths as can be kept', () => {
    const random = new Random(11)
    const list = (length: number) => Array.from({ length }, () => random.pick(['a', 'b', 'c']))
    for (let round = 0; round < 500; round++) {
      const [from, to] = [list(random.below(8)), list(random.below(8))]
      if (from.length === to.length) continue
      const operations = diffJson(from, to)
      const count = (op: string) => operations.filter((operation) => operation.op === op).length
      const kept = countCommon(from, to)
      expect(count('add') + count('replace'), JSON.stringify({ from, to })).toBe(to.length - kept)
      expect(count('remove') + count('replace'), JSON.stringify({ from, to })).toBe(from.length - kept)
    }
  })

  it('tells what one item more or less is, in lists too long to be compared item by item', () => {
    const from = Array.from({ length: 1000 }, (_, id) => id)
    const to = [...from.slice(0, 500), 'new', ...from.slice(500)]
    expect(diffJson(from, to)).toEqual([{ op: 'add', path: '/500', value: 'new' }])
    expect(diffJson(to, from)).toEqual([{ op: 'remove', path: '/500' }])
    expect(diffJson(from, from.slice(0, -1))).toEqual([{ op: 'remove', path: '/999' }])
    expect(diffJson(from, from.slice(1))).toEqual([{ op: 'remove', path: '/0' }])
  })

  it('stays quick with thousands of items', () => {
    const from = Array.from({ length: 20_000 }, (_, id) => ({ id }))
    const to = from.filter(({ id }) => id % 7 !== 0)
    expect(apply(from, diffJson(from, to))).toEqual(to)
  })
})

/** The length of the longest common subsequence, by trying everything. */
function countCommon([first, ...rest]: string[], other: string[]): number {
  if (first === undefined) return 0
  const at = other.indexOf(first)
  const without = countCommon(rest, other)
  return at < 0 ? without : Math.max(without, 1 + countCommon(rest, other.slice(at + 1)))
}

function anyValue(random: Random, depth: number): Json {
  const kind = random.below(depth > 0 ? 6 : 4)
  if (kind === 4) return Array.from({ length: random.below(6) }, () => anyValue(random, depth - 1))
  if (kind === 5)
    return Object.fromEntries(
      Array.from({ length: random.below(5) }, () => [
        random.pick(['a', 'b', '/', '~1', '']),
        anyValue(random, depth - 1),
      ]),
    )
  return random.pick<Json>([null, true, random.below(3), random.pick(['x', 'y'])])
}

function alter(random: Random, value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.chance(0.2) ? alter(random, item) : item))
    if (random.chance(0.5)) items.splice(random.below(items.length + 1), random.below(2), anyValue(random, 1))
    return items
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]): [string, Json][] =>
        random.chance(0.2) ? [] : [[key, alter(random, inner)]],
      ),
    )
  return random.chance(0.5) ? value : anyValue(random, 1)
}

/** As RFC 6902 says, for the three operations in use. */
function apply(from: Json, operations: PatchOperation[]): Json {
  let whole = structuredClone(from)
  for (const operation of operations) {
    if (operation.path === '') {
      whole = (operation as { value: Json }).value
      continue
    }
    const keys = operation.path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop() as string
    // biome-ignore lint/suspicious/noExplicitAny: an array or an object.
    const parent = keys.reduce((inner: any, key) => inner[key], whole) as any
    if (operation.op === 'remove') Array.isArray(parent) ? parent.splice(Number(last), 1) : delete parent[last]
    else if (operation.op === 'add' && Array.isArray(parent))
      parent.splice(Number(last), 0, structuredClone(operation.value))
    else parent[last] = structuredClone(operation.value)
  }
  return whole
}
