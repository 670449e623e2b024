import { expect, test } from 'vitest'
import { isDeeperThan } from '../../src/lib/json.ts'

const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

test('depth counts the levels below the value itself', () => {
  expect(isDeeperThan(0, 7)).toBe(false)
  expect(isDeeperThan(0, nested(1))).toBe(false)
  expect(isDeeperThan(0, nested(2))).toBe(true)
  expect(isDeeperThan(3, nested(4))).toBe(false)
  expect(isDeeperThan(3, nested(5))).toBe(true)
  expect(isDeeperThan(1, { a: [null, 1, 'x'] })).toBe(false)
  expect(isDeeperThan(1, { a: [{}] })).toBe(true)
})

test('a value that would exhaust the stack is measured all the same', () => {
  expect(isDeeperThan(1000, nested(1_000_000))).toBe(true)
})
