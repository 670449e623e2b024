import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { completionEffects } from '../../src/engine/run/completion.ts'
import { type BlockOutcome, planRun, type RunProgress } from '../../src/engine/run/plan.ts'
import { type RunScope, scopeRun } from '../../src/engine/run/run-scope.ts'
import { acceptedOf, block, refusalOf } from './chain-samples.ts'

const succeeded: BlockOutcome = { kind: 'succeeded' }
const diamond = [block('a'), block('b', ['a']), block('c', ['a']), block('d', ['c', 'b'])]
const whole = (chain: ChainBlock[]): RunScope => acceptedOf(scopeRun(chain, {}, new Set()))

function progress(outcomes: Record<string, BlockOutcome>, rest: Partial<RunProgress> = {}): RunProgress {
  return { outcomes: new Map(Object.entries(outcomes)), running: new Set(), stopRequested: false, ...rest }
}

describe('what runs next', () => {
  test('blocks that do not depend on each other are ready together', () => {
    expect(planRun(diamond, whole(diamond), progress({ a: succeeded }))).toEqual({
      kind: 'run',
      ready: [
        { uniqueBlockId: 'b', needs: ['a'] },
        { uniqueBlockId: 'c', needs: ['a'] },
      ],
    })
  })

  test('a block waits for all its data sources and gets them in the order it names them', () => {
    const half = progress({ a: succeeded, b: succeeded }, { running: new Set(['c']) })
    expect(planRun(diamond, whole(diamond), half)).toEqual({ kind: 'run', ready: [] })
    const both = progress({ a: succeeded, b: succeeded, c: succeeded })
    expect(planRun(diamond, whole(diamond), both)).toEqual({
      kind: 'run',
      ready: [{ uniqueBlockId: 'd', needs: ['c', 'b'] }],
    })
  })

  test('a failure ends the run after the blocks beside it have ended, and starts nothing new', () => {
    const failed: BlockOutcome = { kind: 'failed' }
    const chain = [...diamond, block('e')]
    const waiting = progress({ a: succeeded, b: failed }, { running: new Set(['c']) })
    expect(planRun(chain, whole(chain), waiting)).toEqual({ kind: 'run', ready: [] })
    const ended = progress({ a: succeeded, b: failed, c: succeeded })
    expect(planRun(chain, whole(chain), ended)).toEqual({ kind: 'failed', uniqueBlockId: 'b' })
  })

  test('a stop lets the current block finish and then ends as stopped, even after the last block', () => {
    const chain = [block('a')]
    const running = progress({}, { running: new Set(['a']), stopRequested: true })
    expect(planRun(chain, whole(chain), running)).toEqual({ kind: 'run', ready: [] })
    expect(planRun(chain, whole(chain), progress({ a: succeeded }, { stopRequested: true }))).toEqual({
      kind: 'stopped',
    })
  })

  test('a failing block is worth more than a stop', () => {
    const plan = planRun(diamond, whole(diamond), progress({ a: { kind: 'failed' } }, { stopRequested: true }))
    expect(plan).toEqual({ kind: 'failed', uniqueBlockId: 'a' })
  })

  test('stopAfterThisBlock completes the run early and carries its flag', () => {
    const plan = planRun(diamond, whole(diamond), progress({ a: { kind: 'endedRun', flag: false } }))
    expect(plan).toEqual({ kind: 'completed', endedEarly: { flag: false } })
  })

  test('an empty chain is complete at once', () => {
    expect(planRun([], whole([]), progress({}))).toEqual({ kind: 'completed', endedEarly: null })
  })

  test('a run that could never go on is an error, not a silence', () => {
    const scope: RunScope = { blocks: ['b'], reused: ['a'], isPartial: true }
    expect(() => planRun(diamond, scope, progress({}))).toThrow('No block can start')
  })

  test('any interleaving runs every block once, after its data sources, to completion', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 })
    fc.assert(
      fc.property(edges, fc.infiniteStream(fc.nat()), (pairs, choices) => {
        const chain = [...Array(10).keys()].map((no) =>
          block(`b${no}`, [
            ...new Set(pairs.filter(([user, source]) => user === no && source < no).map(([, s]) => `b${s}`)),
          ]),
        )
        const outcomes = new Map<string, BlockOutcome>()
        const running = new Set<string>()
        const started: string[] = []
        for (;;) {
          const plan = planRun(chain, whole(chain), { outcomes, running, stopRequested: false })
          if (plan.kind !== 'run') {
            expect(plan).toEqual({ kind: 'completed', endedEarly: null })
            break
          }
          for (const { uniqueBlockId, needs } of plan.ready) {
            for (const source of needs) expect(outcomes.has(source)).toBe(true)
            running.add(uniqueBlockId)
            started.push(uniqueBlockId)
          }
          // Nothing that could run is held back, so there is always a running block to finish.
          const ending = [...running][choices.next().value! % running.size]!
          running.delete(ending)
          outcomes.set(ending, succeeded)
        }
        expect([...started].sort()).toEqual(chain.map((item) => item.uniqueBlockId).sort())
      }),
      { numRuns: 200 },
    )
  })
})

describe('partial runs', () => {
  const chain = [block('a'), block('b', ['a']), block('c', ['b'])]
  const stored = new Set(['a', 'b', 'c'])

  test('from a block reuses the stored results before it', () => {
    const scope = acceptedOf(scopeRun(chain, { runFromBlock: 2 }, stored))
    expect(scope).toEqual({ blocks: ['b', 'c'], reused: ['a'], isPartial: true })
    expect(planRun(chain, scope, progress({ a: succeeded }))).toEqual({
      kind: 'run',
      ready: [{ uniqueBlockId: 'b', needs: ['a'] }],
    })
  })

  test('goes on behind a block that ended the earlier run', () => {
    const scope = acceptedOf(scopeRun(chain, { runFromBlock: 2 }, stored))
    const plan = planRun(chain, scope, progress({ a: { kind: 'endedRun', flag: true } }))
    expect(plan).toEqual({ kind: 'run', ready: [{ uniqueBlockId: 'b', needs: ['a'] }] })
  })

  test('till a block needs no stored results and completes there', () => {
    const scope = acceptedOf(scopeRun(chain, { runTillBlock: 2 }, new Set()))
    expect(scope).toEqual({ blocks: ['a', 'b'], reused: [], isPartial: true })
    const plan = planRun(chain, scope, progress({ a: succeeded, b: succeeded }))
    expect(plan).toEqual({ kind: 'completed', endedEarly: null })
  })

  test('one block alone', () => {
    const scope = acceptedOf(scopeRun(chain, { runFromBlock: 2, runTillBlock: 2 }, stored))
    expect(scope.blocks).toEqual(['b'])
  })

  test('without block numbers a run is whole', () => {
    expect(acceptedOf(scopeRun(chain, {}, new Set()))).toEqual({
      blocks: ['a', 'b', 'c'],
      reused: [],
      isPartial: false,
    })
  })

  test('a missing stored result is refused and named', () => {
    expect(refusalOf(scopeRun(chain, { runFromBlock: 3 }, new Set(['a'])))).toBe(
      'The run cannot start from block 3, because the latest run has no result for "Block b" (b).',
    )
    expect(refusalOf(scopeRun(chain, { runFromBlock: 3 }, new Set(['a']), 'run 7'))).toContain('because run 7 has no')
  })

  test.each([0, 4, -1, 1.5, Number.NaN])('block number %s is refused', (no) => {
    expect(refusalOf(scopeRun(chain, { runFromBlock: no }, stored))).toContain('runFromBlock')
    expect(refusalOf(scopeRun(chain, { runTillBlock: no }, stored))).toContain('runTillBlock')
  })

  test.each([
    [[block('a')], 'has 1 block'],
    [diamond, 'has 4 blocks'],
  ])('a number beyond the last block is refused with how many there are', (blocks, count) => {
    expect(refusalOf(scopeRun(blocks, { runFromBlock: 9 }, new Set()))).toBe(
      `The field runFromBlock is 9, but this workflow ${count}, numbered from 1.`,
    )
  })

  test('a range that runs backwards is refused', () => {
    expect(refusalOf(scopeRun(chain, { runFromBlock: 3, runTillBlock: 1 }, stored))).toContain(
      'no block is left to run',
    )
  })

  test('every block of a scope finds its data sources in the scope or among the reused', () => {
    const numbers = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 })
    fc.assert(
      fc.property(
        edges,
        numbers,
        fc.shuffledSubarray([...Array(8).keys()], { minLength: 8 }),
        (pairs, [from, till], ranks) => {
          const shuffled = ranks.map((rank) =>
            block(
              `b${rank}`,
              pairs.filter(([user, source]) => user === rank && source < rank).map(([, s]) => `b${s}`),
            ),
          )
          const scoped = scopeRun(
            shuffled,
            { runFromBlock: from, runTillBlock: till },
            new Set(ranks.map((r) => `b${r}`)),
          )
          if (!scoped.ok) return
          const { blocks, reused } = scoped.value
          expect(blocks[0]).toBe(shuffled[from - 1]!.uniqueBlockId)
          expect(blocks.at(-1)).toBe(shuffled[till - 1]!.uniqueBlockId)
          for (const [index, id] of blocks.entries()) {
            const before = [...reused, ...blocks.slice(0, index)]
            for (const source of shuffled.find((item) => item.uniqueBlockId === id)!.dataSources) {
              expect(before).toContain(source)
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('what completion writes', () => {
  const run = { isPartial: false, runBy: 'API', endedEarly: null, updateDateLastRun: false } as const

  test.each([
    ['a whole run', run, true, true],
    ['a partial run', { ...run, isPartial: true }, false, false],
    ['a run ended early with flag true', { ...run, endedEarly: { flag: true } }, true, true],
    ['a run ended early with flag false', { ...run, endedEarly: { flag: false } }, false, false],
    ['a webhook run', { ...run, runBy: 'Webhook' as const }, false, true],
    [
      'a webhook run with updateDateLastRun',
      { ...run, runBy: 'Webhook' as const, updateDateLastRun: true },
      true,
      true,
    ],
  ])('%s', (_, completed, movesDateLastRun, writesDeferredVault) => {
    expect(completionEffects(completed)).toEqual({ movesDateLastRun, writesDeferredVault })
  })
})
