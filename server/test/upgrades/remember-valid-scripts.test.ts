import { expect, it } from 'vitest'
import { rememberValidScripts } from '../../src/upgrades/index.ts'

it('compiles a valid script once, an invalid one each time, and forgets the oldest', async () => {
  const compiled: string[] = []
  const check = rememberValidScripts(async (source) => {
    compiled.push(source)
    return source === 'bad' ? { ok: false, message: 'no', line: 1, column: 1 } : { ok: true }
  }, 2)
  for (const source of ['a', 'a', 'bad', 'bad', 'b', 'a', 'c', 'c', 'a']) await check(source)
  expect(compiled).toEqual(['a', 'bad', 'bad', 'b', 'c', 'a'])
  expect(await check('bad')).toMatchObject({ ok: false })
})
