import { expect, it } from 'vitest'
import { checkMerged } from '../../src/upgrades/index.ts'

it('asks a script process about long scripts and those that do not compile, and runs nothing', async () => {
  const asked: string[] = []
  const check = checkMerged(async (source) => {
    asked.push(source)
    return { ok: false, message: 'no', line: 1, column: 1 }
  })
  const long = `return 1 // ${'x'.repeat(70_000)}`
  const closesEarly = '}; globalThis.isBroken = true; {'
  expect(await check('globalThis.isBroken = true; return await api.get("x")')).toEqual({ ok: true })
  for (const source of ['return (', closesEarly, '}); more(); (function () {', long]) {
    expect(await check(source)).toMatchObject({ ok: false })
  }
  expect(asked).toEqual(['return (', closesEarly, '}); more(); (function () {', long])
  expect(globalThis).not.toHaveProperty('isBroken')
})
