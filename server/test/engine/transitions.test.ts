import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockRetryDelayMs, isSkippedAfterErrors, webhookRetryDelayMs } from '../../src/engine/run/backoff.ts'
import {
  accountTransitions,
  canMove,
  isFinal,
  parseState,
  queueTransitions,
  runStatusEnum,
  runTransitions,
  statesBefore,
  workflowTransitions,
} from '../../src/engine/transitions.ts'

const tables = { accountTransitions, queueTransitions, runTransitions, workflowTransitions }

describe.each(Object.entries(tables))('%s', (_, table: Readonly<Record<string, readonly string[]>>) => {
  const states = Object.keys(table)

  test('leads only to states that exist, and never to itself', () => {
    for (const state of states) {
      for (const next of table[state]!) expect(states).toContain(next)
      expect(canMove(table, state, state)).toBe(false)
    }
  })

  test('can end from every state, and a final state is never left', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.infiniteStream(fc.nat()), (start, choices) => {
        let state = start
        for (let step = 0; step < 200 && !isFinal(table, state); step++) {
          const followers: readonly string[] = table[state]!
          state = followers[choices.next().value! % followers.length]!
        }
        const endsReachable = (from: string, seen: string[]): boolean =>
          isFinal(table, from) ||
          table[from]!.some((next) => !seen.includes(next) && endsReachable(next, [...seen, next]))
        expect(endsReachable(state, [state])).toBe(true)
        if (isFinal(table, state)) for (const next of states) expect(canMove(table, state, next)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test('knows the states before each state', () => {
    for (const to of states) expect(statesBefore(table, to)).toEqual(states.filter((from) => canMove(table, from, to)))
  })

  test('reads its states in any case and nothing else', () => {
    for (const state of states) expect(parseState(table, state.toUpperCase())).toBe(state)
    for (const text of ['', 'nonsense', 'toString', '__proto__']) expect(parseState(table, text)).toBeUndefined()
  })
})

test('a run ends in exactly one of Ready, Error, Stopped', () => {
  const final = Object.keys(runTransitions).filter((status) =>
    isFinal(runTransitions, status as keyof typeof runTransitions),
  )
  expect(final.sort()).toEqual(['Error', 'Ready', 'Stopped'])
  expect(canMove(runTransitions, 'Stopping', 'Ready')).toBe(false)
})

test('an archived workflow is not deployed again, and an account goes between active and locked', () => {
  expect(canMove(workflowTransitions, 'archived', 'deployed')).toBe(false)
  expect(canMove(accountTransitions, 'active', 'locked')).toBe(true)
  expect(canMove(accountTransitions, 'locked', 'active')).toBe(true)
  expect(canMove(accountTransitions, 'inActive', 'locked')).toBe(false)
  expect(statesBefore(accountTransitions, 'archived')).toEqual(['inActive', 'active', 'locked'])
})

test('run statuses map to every value of WorkflowRunStatusEnum', () => {
  expect(runStatusEnum.Ready).toBe('completed')
  expect(runStatusEnum.Error).toBe('failed')
  expect(new Set(Object.values(runStatusEnum))).toEqual(
    new Set(['pending', 'processing', 'completed', 'failed', 'skipped']),
  )
})

describe('waiting after errors', () => {
  test('webhook requests wait 30 s, doubling, at most an hour', () => {
    expect([1, 2, 3, 4, 7].map((errors) => webhookRetryDelayMs(errors, 0.5))).toEqual([
      30_000, 60_000, 120_000, 240_000, 1_920_000,
    ])
    expect(webhookRetryDelayMs(8, 0.999_999)).toBeLessThanOrEqual(3_600_000)
    expect(webhookRetryDelayMs(2_000, 0)).toBeGreaterThan(2_900_000)
  })

  test('jitter spreads by a tenth and never beyond the limit', () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), jitter, (errors, spread) => {
        const delay = webhookRetryDelayMs(errors, spread)
        const middle = webhookRetryDelayMs(errors, 0.5)
        expect(Math.abs(delay - middle)).toBeLessThanOrEqual(middle * 0.1 + 1)
        expect(delay).toBeLessThanOrEqual(3_600_000)
        expect(delay).toBeGreaterThanOrEqual(27_000)
      }),
    )
  })

  test('a request is skipped when its errors reach the limit, and never when the limit is 0', () => {
    expect([4, 5, 6].map((errors) => isSkippedAfterErrors(errors, 5))).toEqual([false, true, true])
    expect(isSkippedAfterErrors(1_000_000, 0)).toBe(false)
  })

  test('a block is tried again after two worker deaths and given up at the third', () => {
    expect(blockRetryDelayMs(1, 0.5)).toBe(500)
    expect(blockRetryDelayMs(2, 0.5)).toBe(1_000)
    expect(blockRetryDelayMs(3, 0.5)).toBeNull()
  })
})
