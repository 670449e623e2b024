import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findGraphProblems, type GraphBlock, orderBlocks } from '../../src/engine/chain/graph.ts'
import type { Problem } from '../../src/engine/problem.ts'
import { block } from './chain-samples.ts'

/** Random chains without cycles, in a random order of their own: an edge may only point to a lower rank. */
const acyclicChain = fc.integer({ min: 0, max: 12 }).chain((size) =>
  fc
    .record({
      edges: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }),
      shuffled: fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
    })
    .map(({ edges, shuffled }): GraphBlock[] => {
      const sources = new Map<number, string[]>()
      for (const [one, other] of edges) {
        if (size < 2 || one % size === other % size) continue
        const [low, high] = [one % size, other % size].sort((a, b) => a - b) as [number, number]
        sources.set(high, [...(sources.get(high) ?? []), `b${low}`])
      }
      return shuffled.map((rank) => block(`b${rank}`, sources.get(rank)))
    }),
)

/** The order by its definition, as slowly as can be: again and again the first block whose sources are all done. */
function orderNaively(chain: readonly GraphBlock[]): string[] {
  const order: string[] = []
  for (;;) {
    const next = chain.find(
      (item) => !order.includes(item.uniqueBlockId) && item.dataSources.every((source) => order.includes(source)),
    )
    if (!next) return order
    order.push(next.uniqueBlockId)
  }
}

describe('order of blocks', () => {
  test('is the naive order for every chain without a cycle', () => {
    fc.assert(
      fc.property(acyclicChain, (chain) => {
        expect(findGraphProblems(chain)).toEqual([])
        expect(orderBlocks(chain)).toEqual(orderNaively(chain))
        expect(orderBlocks(chain)).toHaveLength(chain.length)
      }),
      { numRuns: 500 },
    )
  })

  test('is the order of the chain where that already respects the data sources', () => {
    expect(orderBlocks([block('a'), block('b', ['a']), block('c'), block('d', ['b', 'c'])])).toEqual([
      'a',
      'b',
      'c',
      'd',
    ])
  })

  test('puts a block after its data source although it stands before it in the chain', () => {
    expect(orderBlocks([block('a', ['c']), block('b'), block('c')])).toEqual(['b', 'c', 'a'])
  })

  test('counts a data source that is named twice only once', () => {
    expect(orderBlocks([block('a', ['b', 'b']), block('b')])).toEqual(['b', 'a'])
  })

  test('takes a chain of 5,000 blocks', () => {
    const chain = [...Array(5_000).keys()].map((no) => block(`b${no}`, no === 0 ? [] : [`b${no - 1}`])).reverse()
    expect(orderBlocks(chain)).toEqual([...Array(5_000).keys()].map((no) => `b${no}`))
  })
})

/** The ids in the sentence, in its order: `Block "name" (id)`. */
function blocksNamedIn(problem: Problem | undefined): string[] {
  return [...(problem?.message ?? '').matchAll(/\((\w+)\)/g)].map((match) => match[1]!)
}

describe('problems of a chain', () => {
  test('an unknown data source names the block and the source', () => {
    const [problem, ...others] = findGraphProblems([block('a', ['ghost', 'ghost'])])
    expect(others).toEqual([])
    expect(problem).toEqual({
      message: 'Block "Block a" (a) has the data source ghost, which is not a block of this workflow.',
    })
  })

  test('a duplicate uniqueBlockId is named once', () => {
    expect(findGraphProblems([block('a'), block('a'), block('a')])).toEqual([
      { message: 'The uniqueBlockId a is used by more than one block.' },
    ])
  })

  test('a block that reads itself is named', () => {
    expect(findGraphProblems([block('x'), block('a', ['a'])])).toEqual([
      { message: 'Block "Block a" (a) is its own data source.' },
    ])
  })

  test('a cycle names its blocks and not those that merely wait for it', () => {
    const chain = [block('waits', ['a']), block('a', ['b']), block('b', ['c']), block('c', ['a']), block('free')]
    const [problem] = findGraphProblems(chain)
    expect(new Set(blocksNamedIn(problem))).toEqual(new Set(['a', 'b', 'c']))
    expect(problem?.message).toContain('form a cycle')
  })

  test('every chain with one edge turned back upon its ancestors is refused with a true cycle', () => {
    fc.assert(
      fc.property(acyclicChain, fc.nat(), fc.nat(), (chain, from, to) => {
        fc.pre(chain.length >= 2)
        const order = orderBlocks(chain)
        const first = order[from % order.length]!
        const second = order[to % order.length]!
        // A two-way link between any two blocks is a cycle, whatever the rest looks like.
        const linked = chain.map((item) => {
          if (item.uniqueBlockId === first) return { ...item, dataSources: [...item.dataSources, second] }
          if (item.uniqueBlockId === second) return { ...item, dataSources: [...item.dataSources, first] }
          return item
        })
        const [problem] = findGraphProblems(linked)
        const blocks = blocksNamedIn(problem)
        const sourcesOf = (id: string) => linked.find((item) => item.uniqueBlockId === id)!.dataSources
        expect(blocks.length).toBeGreaterThan(0)
        for (const [index, id] of blocks.entries()) expect(sourcesOf(id)).toContain(blocks[(index + 1) % blocks.length])
      }),
      { numRuns: 300 },
    )
  })
})
