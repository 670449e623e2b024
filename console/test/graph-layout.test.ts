import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyPatch } from '../src/replay/apply-patch.ts'
import { blockHeight, blockWidth, layOut } from '../src/workflows/graph-layout.ts'

/** Chains in which every block reads from some of those before it. */
const chains = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 14 }).map((all) =>
  all.map((sources, no) => ({
    id: `b${no}`,
    sources: [...new Set(sources.filter((source) => source < no).map((source) => `b${source}`))],
  })),
)

describe('the graph of a workflow', () => {
  it('has every block once, right of all it reads from, and none over another', () => {
    fc.assert(
      fc.property(chains, (blocks) => {
        const placed = new Map(layOut(blocks).map((one) => [one.id, one]))
        expect([...placed.keys()].toSorted()).toEqual(blocks.map(({ id }) => id).toSorted())
        for (const { id, sources } of blocks)
          for (const source of sources) expect(placed.get(source)!.x + blockWidth).toBeLessThan(placed.get(id)!.x)
        const all = [...placed.values()]
        for (const one of all)
          for (const other of all)
            if (one !== other && one.x === other.x)
              expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(blockHeight)
      }),
    )
  })

  it('is drawn even where blocks lead in a circle or name sources that are gone', () => {
    const placed = layOut([
      { id: 'a', sources: ['b'] },
      { id: 'b', sources: ['a', 'gone'] },
    ])
    expect(placed.map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
  })
})

describe('the result of a replay', () => {
  it.each([
    [[1, 2], [{ op: 'add', path: '/1', value: 9 }], [1, 9, 2]],
    [[1, 2], [{ op: 'add', path: '/-', value: 9 }], [1, 2, 9]],
    [[1, 2], [{ op: 'remove', path: '/0' }], [2]],
    [{ a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: 2 }], { a: { b: 2 } }],
    [
      { 'a/b': 1, '~': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'replace', path: '/~0', value: 3 },
      ],
      { '~': 3 },
    ],
    [{ a: 1 }, [{ op: 'replace', path: '', value: null }], null],
  ] as const)('%j with %j is %j', (recorded, patch, expected) => {
    const before = structuredClone(recorded)
    expect(applyPatch(recorded, patch)).toEqual(expected)
    expect(recorded).toEqual(before)
  })
})
