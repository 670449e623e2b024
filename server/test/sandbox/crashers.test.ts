import { afterAll, beforeAll, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { proofSize } from '../harness/proof-size.ts'
import { crashers } from './crashers.ts'
import { expectReturned, makeJob } from './harness.ts'

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 2, processesMax: 3 })
})
afterAll(() => pool[Symbol.asyncDispose]())

const times = proofSize('HOSTILE_TIMES', { small: 1, large: 20 })
const limits = { timeMs: 600, memoryBytes: 64 * 1024 * 1024 }

it('the corpus has at least 25 scripts', () => {
  expect(new Set(crashers.map(({ script }) => script)).size).toBeGreaterThanOrEqual(25)
})

it.each(crashers)('$name ends while an honest script beside it is right', async ({ script }) => {
  for (let time = 0; time < times; time++) await crashBesideHonest(script)
})

async function crashBesideHonest(script: string): Promise<void> {
  const hostile = pool.run(makeJob(script, { accountId: 'hostile', limits, onCall: async () => null }))
  let isOver = false
  void hostile.then(() => {
    isOver = true
  })
  let honest = 0
  do {
    const outcome = expectReturned(
      await pool.run(
        makeJob('console.log("n", variables.n); return variables.n * 2', {
          accountId: 'honest',
          inputs: { variables: { n: honest } },
        }),
      ),
    )
    expect(outcome).toMatchObject({ value: honest * 2, log: [`n ${honest}`] })
    honest++
  } while (!isOver)

  const outcome = await hostile
  expect(['timedOut', 'outOfMemory', 'threw', 'stalled', 'notJson', 'resultTooLarge', 'returned']).toContain(
    outcome.kind,
  )
  if (outcome.kind !== 'returned') expect(outcome.message).toMatch(/\w/)
}

it.each([
  'const m = new Map(); for (let i = 0; ; i++) m.set(i, [i, i])',
  'const a = []; for (;;) a.push({ x: new Array(1000).fill(1.5) })',
  'const a = []; for (;;) a.push(new Array(2e7).fill(0))',
  'let s = "x"; const a = []; for (;;) { s += s; a.push(s.slice(1)) }',
  'return JSON.parse("[".repeat(2e7) + "]".repeat(2e7))',
])('memory is the end of %s, whatever time there is', async (script) => {
  const outcome = await pool.run(makeJob(script, { accountId: 'hostile', limits: { ...limits, timeMs: 250_000 } }))
  expect(outcome).toMatchObject({ kind: 'outOfMemory', limitBytes: limits.memoryBytes })
})
