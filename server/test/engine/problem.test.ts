import { expect, test } from 'vitest'
import { accept, joinProblems, refuse } from '../../src/engine/problem.ts'

test('what is accepted carries its value, what is refused every problem', () => {
  expect(accept(1)).toEqual({ ok: true, value: 1 })
  expect(refuse({ message: 'One.' }, { message: 'Two.' })).toEqual({
    ok: false,
    problems: [{ message: 'One.' }, { message: 'Two.' }],
  })
})

test('several problems are told one after the other', () => {
  expect(joinProblems([{ message: 'The first is wrong.' }, { message: 'So is the second.' }])).toBe(
    'The first is wrong. So is the second.',
  )
})
