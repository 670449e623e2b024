// Conditions, joins, handlers and tolerated failures: the plan, and a small model of the rules that was written apart from it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { type BlockOutcome, planRun, type RunPlan, type RunProgress } from '../../src/engine/run/plan.ts'
import { type RunScope, scopeRun } from '../../src/engine/run/run-scope.ts'
import { acceptedOf, block } from './chain-samples.ts'

const ok: BlockOutcome = { kind: 'succeeded' }
const failed: BlockOutcome = { kind: 'failed' }
const skipped: BlockOutcome = { kind: 'skipped' }
const waiting: BlockOutcome = { kind: 'waiting' }
const whole = (chain: ChainBlock[]): RunScope => acceptedOf(scopeRun(chain, {}, new Set()))

function plan(chain: ChainBlock[], outcomes: Record<string, BlockOutcome>, rest: Partial<RunProgress> = {}): RunPlan {
  const progress = { outcomes: new Map(Object.entries(outcomes)), running: new Set<string>(), stopRequested: false }
  return planRun(chain, whole(chain), { ...progress, ...rest })
}
const start = (uniqueBlockId: string, needs: string[]) => ({ kind: 'run', ready: [{ uniqueBlockId, needs }] })

describe('sameItemsAs', () => {
  const chain = [
    block('a', [], { forEach: {} }),
    block('b', [], {}),
    block('c', ['a', 'b'], { forEach: { sameItemsAs: 'a' } }),
    block('d', ['c', 'a'], { forEach: { sameItemsAs: 'c' } }),
    block('e', ['a'], {}),
  ]

  test('starts beside the blocks whose items it goes on with, once its other sources have results', () => {
    expect(plan(chain, {}, { running: new Set(['a', 'b']) })).toEqual({ kind: 'run', ready: [] })
    expect(plan(chain, { b: ok }, { running: new Set(['a']) })).toEqual(start('c', ['a', 'b']))
    expect(plan(chain, { b: ok }, { running: new Set(['a', 'c']) })).toEqual(start('d', ['c', 'a']))
  })

  test('waits with them, and is skipped with them', () => {
    expect(plan(chain, { a: waiting, b: ok })).toEqual({ kind: 'park', waiting: ['a'] })
    expect(plan(chain, { a: skipped, b: ok })).toMatchObject({ skipped: expect.arrayContaining(['c', 'd', 'e']) })
  })
})

describe('needs', () => {
  const join = (needs: 'all' | 'any' | 'failed', onError: 'stop' | 'continue' = 'continue') => [
    block('a', [], { onError }),
    block('b', [], { onError }),
    block('c', ['a', 'b'], { needs }),
  ]

  test('all: one skipped data source makes the block skipped, before the others have ended', () => {
    const running = new Set(['b'])
    expect(plan(join('all'), { a: skipped }, { running })).toEqual({ kind: 'run', ready: [], skipped: ['c'] })
  })

  test('all: a tolerated failure counts as without result', () => {
    expect(plan(join('all'), { a: failed, b: ok })).toEqual({ kind: 'run', ready: [], skipped: ['c'] })
  })

  test('any: starts with one result, but only when all have ended', () => {
    expect(plan(join('any'), { a: ok }, { running: new Set(['b']) })).toEqual({ kind: 'run', ready: [] })
    expect(plan(join('any'), { a: ok, b: skipped })).toEqual(start('c', ['a', 'b']))
    expect(plan(join('any'), { a: failed, b: skipped })).toEqual({ kind: 'run', ready: [], skipped: ['c'] })
  })

  test('failed: starts after a tolerated failure, and is skipped without one', () => {
    expect(plan(join('failed'), { a: failed, b: ok })).toEqual(start('c', ['a', 'b']))
    expect(plan(join('failed'), { a: ok, b: skipped })).toEqual({ kind: 'run', ready: [], skipped: ['c'] })
  })

  test('failed: runs while the run is ending in Error, also when another source has not begun', () => {
    const chain = [block('a'), block('b', ['a']), block('h', ['a', 'b'], { needs: 'failed' })]
    expect(plan(chain, { a: failed })).toEqual(start('h', ['a', 'b']))
    expect(plan(chain, { a: failed, h: ok })).toEqual({ kind: 'failed', uniqueBlockId: 'a' })
  })

  test('a handler that fails does not change how the run ends', () => {
    expect(plan(join('failed'), { a: failed, b: ok, c: failed })).toEqual({ kind: 'completed', endedEarly: null })
  })

  test('a handler that ended its run early has a result and ends nothing', () => {
    const chain = [...join('failed'), block('d', ['c'])]
    expect(plan(chain, { a: failed, b: ok, c: { kind: 'endedRun', flag: true } })).toEqual(start('d', ['c']))
  })

  test('a stop starts no handler', () => {
    expect(plan(join('failed', 'stop'), { a: failed, b: ok }, { stopRequested: true })).toEqual({
      kind: 'failed',
      uniqueBlockId: 'a',
    })
  })
})

describe('waiting', () => {
  const chain = [block('a'), block('b', ['a']), block('c', ['a'])]

  test('parks when nothing runs and nothing can start', () => {
    expect(plan(chain, { a: ok, b: waiting, c: ok })).toEqual({ kind: 'park', waiting: ['b'] })
    expect(plan(chain, { a: ok, b: waiting }, { running: new Set(['c']) })).toEqual({ kind: 'run', ready: [] })
  })

  test('is given up when the run ends in Error or is stopped', () => {
    expect(plan(chain, { a: ok, b: waiting, c: failed })).toEqual({ kind: 'failed', uniqueBlockId: 'c' })
    expect(plan(chain, { a: ok, b: waiting, c: ok }, { stopRequested: true })).toEqual({ kind: 'stopped' })
  })

  test('a handler gets its tries before the run ends in Error', () => {
    const handled = [block('a'), block('h', ['a'], { needs: 'failed' })]
    expect(plan(handled, { a: failed, h: waiting })).toEqual({ kind: 'park', waiting: ['h'] })
  })
})

test('a run whose blocks were all skipped is complete', () => {
  expect(plan([block('a'), block('b', ['a'])], { a: skipped, b: skipped })).toEqual({
    kind: 'completed',
    endedEarly: null,
  })
})

/** What each block does when it is started: returns, throws, or finds its condition falsy. */
type Fate = 'returns' | 'throws' | 'declines'
type End = 'result' | 'failed' | 'skipped' | 'unreached'

/** The rules of the page, one block after the other in an order where sources come first. Only for chains in which no failure stops the run. */
function predict(chain: readonly ChainBlock[], fates: ReadonlyMap<string, Fate>): Map<string, End> {
  const ends = new Map<string, End>()
  for (const { uniqueBlockId, dataSources, needs } of chain) {
    const of = dataSources.map((source) => ends.get(source) as End)
    const runs =
      needs === 'failed'
        ? of.includes('failed')
        : needs === 'any'
          ? of.includes('result')
          : of.every((end) => end === 'result')
    const fate = fates.get(uniqueBlockId)
    ends.set(uniqueBlockId, !runs || fate === 'declines' ? 'skipped' : fate === 'throws' ? 'failed' : 'result')
  }
  return ends
}

const shape = fc
  .array(
    fc.record({
      sources: fc.array(fc.nat(20), { maxLength: 3 }),
      needs: fc.constantFrom(undefined, 'all', 'any', 'failed'),
      onError: fc.constantFrom(undefined, 'continue'),
      fate: fc.constantFrom<Fate>('returns', 'returns', 'throws', 'declines'),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((blocks) => {
    const chain = blocks.map(({ sources, needs, onError }, no) => {
      const dataSources = [...new Set(sources.filter((source) => source < no))].map((source) => `b${source}`)
      return block(`b${no}`, dataSources, {
        ...(needs === undefined || (dataSources.length === 0 && needs !== 'all') ? {} : { needs }),
        ...(onError === undefined ? {} : { onError }),
      } as Partial<ChainBlock>)
    })
    return { chain, fates: new Map(blocks.map(({ fate }, no) => [`b${no}`, fate])) }
  })

/** Plays a run to its end: blocks end in any order, some wait first, and now and then the plan is made anew from the records alone. */
function play(chain: ChainBlock[], fates: ReadonlyMap<string, Fate>, choose: () => number) {
  const outcomes = new Map<string, BlockOutcome>()
  const running = new Set<string>()
  const startedAfter = new Map<string, Map<string, BlockOutcome>>()
  for (let step = 0; step < 200; step++) {
    const next = planRun(chain, whole(chain), { outcomes, running, stopRequested: false })
    if (next.kind === 'park') {
      outcomes.delete(next.waiting[choose() % next.waiting.length] as string)
      continue
    }
    if (next.kind !== 'run') return { plan: next, outcomes, startedAfter, wasRunning: running.size > 0 }
    for (const id of next.skipped ?? []) outcomes.set(id, skipped)
    for (const { uniqueBlockId } of next.ready) {
      startedAfter.set(uniqueBlockId, new Map(outcomes))
      running.add(uniqueBlockId)
    }
    const under = [...running]
    const id = under[choose() % Math.max(1, under.length)]
    if (id === undefined) continue
    running.delete(id)
    const fate = fates.get(id)
    if (choose() % 5 === 0) outcomes.set(id, waiting)
    else outcomes.set(id, fate === 'throws' ? failed : fate === 'declines' ? skipped : ok)
  }
  throw new Error('The run does not end.')
}

test('where every failure is tolerated, every interleaving ends as the model says', () => {
  fc.assert(
    fc.property(shape, fc.infiniteStream(fc.nat()), ({ chain, fates }, stream) => {
      const tolerant = chain.map((one) => ({ ...one, onError: 'continue' as const }))
      const { plan: end, outcomes } = play(tolerant, fates, () => stream.next().value as number)
      expect(end).toEqual({ kind: 'completed', endedEarly: null })
      const named = { succeeded: 'result', failed: 'failed', skipped: 'skipped' } as Record<string, End>
      const told = new Map([...outcomes].map(([id, { kind }]) => [id, named[kind]]))
      expect(told).toEqual(predict(tolerant, fates))
    }),
    { numRuns: 500 },
  )
})

test('in every run nothing is cut off, handlers only follow failures, and the status is that of the plain blocks', () => {
  fc.assert(
    fc.property(shape, fc.infiniteStream(fc.nat()), ({ chain, fates }, stream) => {
      const { plan: end, outcomes, startedAfter, wasRunning } = play(chain, fates, () => stream.next().value as number)
      expect(wasRunning).toBe(false)
      const fatal = chain.filter(
        ({ uniqueBlockId, needs, onError }) =>
          outcomes.get(uniqueBlockId)?.kind === 'failed' && needs !== 'failed' && onError !== 'continue',
      )
      expect(end.kind).toBe(fatal.length > 0 ? 'failed' : 'completed')
      for (const { uniqueBlockId, needs, dataSources } of chain) {
        const before = startedAfter.get(uniqueBlockId)
        if (!before) {
          // A handler whose source failed is never forgotten.
          if (needs === 'failed' && dataSources.some((source) => outcomes.get(source)?.kind === 'failed'))
            expect(outcomes.has(uniqueBlockId)).toBe(true)
          continue
        }
        const kinds = dataSources.map((source) => before.get(source)?.kind)
        if (needs === 'failed') expect(kinds).toContain('failed')
        else if (needs === 'any') expect(kinds).toContain('succeeded')
        else expect(kinds.every((kind) => kind === 'succeeded')).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})
