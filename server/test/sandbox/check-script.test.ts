import { afterAll, beforeAll, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { makeJob } from './harness.ts'

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 1 })
})
afterAll(() => pool[Symbol.asyncDispose]())

it.each([
  '',
  'return 1',
  'await sleep(1)',
  '// only a comment',
  '"use strict"; return this',
  'return `\n`',
  'const f = async function* () {}',
  '/* } */ return "}"',
])('%j is a script', async (source) => {
  expect(await pool.checkScript(source)).toEqual({ ok: true })
})

it.each([
  ['let a = ;', 1, 9],
  ['let a = 1\nlet b = ;', 2, 9],
  ['let a\r\nlet a', 2, 5],
  ['const x = {\n  a: 1,,\n}', 2, 8],
  ['if (true) {', 1, 12],
  ['return `abc', 1, 12],
  ['}); evil(); (function () {', 1, 2],
  ['\n}, evil(), async function () {', 2, 2],
  ['\n} evil(); async function f() {', 2, 3],
  ['return 1 }', 1, 11],
  ['import fs from "fs"', 1, 1],
  ['export const a = 1', 1, 1],
  ['await = 1', 1, 7],
  ['/* open', 1, 1],
])('%j has a fault in line %i, column %i', async (source, line, column) => {
  expect(await pool.checkScript(source)).toMatchObject({
    ok: false,
    line,
    column,
    message: expect.stringMatching(/\w/),
  })
})

it('a run of a script with a fault says the same as the check', async () => {
  const check = await pool.checkScript('let a\nlet a')
  const outcome = await pool.run(makeJob('let a\nlet a'))
  expect(outcome).toMatchObject({
    kind: 'invalid',
    message: (check as { message: string }).message,
    line: 2,
    column: 5,
  })
})

it('nothing is executed by a check, and a body that closes its function early does not run', async () => {
  let calls = 0
  const onCall = async () => ++calls
  for (const script of [
    '}); api.get("a/b"); (function () {',
    '}, api.get("a/b"), async function () {',
    '}\napi.get("a/b")\nasync function f() {',
    '})(api.get("a/b")), (async function () {',
  ]) {
    expect((await pool.checkScript(script)).ok).toBe(false)
    expect((await pool.run(makeJob(script, { onCall }))).kind).toBe('invalid')
  }
  expect(await pool.checkScript('for (;;);')).toEqual({ ok: true })
  expect(calls).toBe(0)
})

it('a text that overwhelms the parser is refused and the next check works', async () => {
  expect((await pool.checkScript('('.repeat(400_000))).ok).toBe(false)
  expect((await pool.checkScript(`return ${'['.repeat(200_000)}${']'.repeat(200_000)}`)).ok).toBe(false)
  expect(await pool.checkScript('return 1')).toEqual({ ok: true })
})
