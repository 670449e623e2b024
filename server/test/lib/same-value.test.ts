import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameValue } from '../../src/lib/same-value.ts'

describe('the same value', () => {
  test('is what Node calls deeply equal, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        expect(isSameValue(one, other)).toBe(isDeepStrictEqual(one, other))
        expect(isSameValue(one, structuredClone(one))).toBe(true)
      }),
    )
  })

  test.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: undefined }, {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [['a'], { 0: 'a' }, false],
    [null, {}, false],
    [{}, null, false],
    [{}, undefined, false],
    [0, '0', false],
    [Number.NaN, Number.NaN, true],
    [{ a: { toString: 1 } }, { a: {} }, false],
  ])('%j and %j: %s', (one, other, expected) => {
    expect(isSameValue(one, other)).toBe(expected)
    expect(isSameValue(other, one)).toBe(expected)
  })
})
