import { describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/index.ts'
import type { SandboxOptions } from '../../src/sandbox/pool/pool-options.ts'
import { expectReturned, makeJob, waitUntil } from './harness.ts'

/** With a process that does such short scripts that others are sent ahead to it. */
async function startPool(options: SandboxOptions): Promise<SandboxPool> {
  const pool = await SandboxPool.create({ processesPerAccount: 2, ...options })
  for (let i = 0; i < 30; i++) expectReturned(await pool.run(makeJob('return 1')))
  return pool
}

const busyFor = (ms: number) => `const end = Date.now() + ${ms}; while (Date.now() < end); return variables.i`

/** Scripts that are behind another one in the same process as soon as they are asked for. */
function runBehind(pool: SandboxPool, first: ReturnType<typeof makeJob>, count: number) {
  const head = pool.run(first)
  const behind = Array.from({ length: count }, (_, i) =>
    pool.run(makeJob('return variables.i', { inputs: { variables: { i } } })),
  )
  return { head, behind: Promise.all(behind) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('scripts sent ahead to a process that is busy', () => {
  it('are taken back when the script before them does not end', async () => {
    await using pool = await startPool({ size: 1, processesMax: 3 })
    let isHeadOver = false
    const { head, behind } = runBehind(pool, makeJob('for (;;);', { limits: { timeMs: 120_000 } }), 6)
    void head.then(() => {
      isHeadOver = true
    })
    expect((await behind).map((outcome) => expectReturned(outcome).value)).toEqual(numbers(6))
    expect(isHeadOver).toBe(false)
  })

  it('are taken back when the script before them waits', async () => {
    await using pool = await startPool({ size: 1, processesMax: 3 })
    const release = Promise.withResolvers<null>()
    const job = makeJob('return await api.get("a/b")', { onCall: () => release.promise })
    const { head, behind } = runBehind(pool, job, 6)
    expect((await behind).map((outcome) => expectReturned(outcome).value)).toEqual(numbers(6))
    release.resolve(null)
    expect(expectReturned(await head).value).toBe(null)
  })

  it('run elsewhere when the script before them ends its process, and none of them is blamed', async () => {
    await using pool = await startPool({ size: 1, processesMax: 3 })
    const { head, behind } = runBehind(pool, makeJob('const a = []; for (;;) a.push(new Array(1e5).fill(0))'), 6)
    expect((await behind).map((outcome) => expectReturned(outcome).value)).toEqual(numbers(6))
    expect((await head).kind).toBe('outOfMemory')
  })

  it('are blamed for what they do themselves, however quickly', async () => {
    await using pool = await startPool({ size: 1, processesMax: 1 })
    const scripts = ['return 1', 'return 2', 'const a = []; for (;;) a.push(new Array(1e5).fill(0))', 'return 4']
    const outcomes = await Promise.all(scripts.map((script) => pool.run(makeJob(script))))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['returned', 'returned', 'outOfMemory', 'returned'])
  })

  it('have their whole time for themselves', async () => {
    await using pool = await startPool({ size: 1, processesMax: 1 })
    const busy = 'const end = Date.now() + 30; while (Date.now() < end); return 1'
    // Together they take longer than each of them may.
    const limits = { timeMs: 2500, pauseMsMax: 2500 }
    const outcomes = await Promise.all(numbers(100).map(() => pool.run(makeJob(busy, { limits }))))
    for (const outcome of outcomes) expectReturned(outcome)
  })

  it('can be stopped while they wait, without harm to the one before them', async () => {
    await using pool = await startPool({ size: 1, processesMax: 1 })
    const stop = new AbortController()
    const first = pool.run(makeJob('const end = Date.now() + 200; while (Date.now() < end); return 1'))
    const second = pool.run(makeJob('return 2', { signal: stop.signal }))
    stop.abort()
    expect(expectReturned(await first).value).toBe(1)
    expect((await second).kind).toBe('aborted')
    expect(expectReturned(await pool.run(makeJob('return 3'))).value).toBe(3)
  })

  it('make no calls after they were stopped', async () => {
    await using pool = await startPool({ size: 1, processesMax: 2 })
    const stop = new AbortController()
    let calls = 0
    const onCall = async () => {
      calls++
      return null
    }
    const first = pool.run(makeJob(busyFor(20)))
    const second = pool.run(makeJob('await api.post("a/b", 1)', { signal: stop.signal, onCall }))
    stop.abort()
    // The end of the first and the call of the second are read in one go.
    for (const end = Date.now() + 45; Date.now() < end; );
    expect([(await first).kind, (await second).kind, calls]).toEqual(['returned', 'aborted', 0])
  })

  it('have the library that they were sent with', async () => {
    await using pool = await startPool({ size: 1, processesMax: 1 })
    const [one, other] = ['one', 'other'].map((name) => [
      { name: 'who', isAsync: false, arguments: [], script: `return "${name}"` },
    ])
    // The answer is there before the script waits for it, so that it never does, while those behind it are read already.
    const asks = `const answer = api.get("a/b"); ${busyFor(20).replace('return variables.i', '')}; await answer; return fx.who()`
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all([
        pool.run(makeJob(asks, { library: one as never })),
        pool.run(makeJob('return fx.who()', { library: other as never })),
        pool.run(makeJob('return fx.who()', { library: one as never })),
      ])
      expect(outcomes.map((outcome) => expectReturned(outcome).value)).toEqual(['one', 'other', 'one'])
    }
  })

  it('are not overtaken for ever by those that come later', async () => {
    await using pool = await startPool({ size: 1, processesMax: 2 })
    let later = 0
    let isOpen = true
    const { head, behind } = runBehind(pool, makeJob(busyFor(120)), 7)
    const feeders = numbers(20).map(async () => {
      for (; isOpen; later++) await pool.run(makeJob('return 1'))
    })
    await behind
    expect(later).toBeLessThan(200)
    isOpen = false
    await Promise.all([head, ...feeders])
  })

  it('do not keep another account waiting, even when each of them is short', async () => {
    await using pool = await startPool({ size: 1, processesMax: 2 })
    let over = 0
    const all = numbers(30).map(() => pool.run(makeJob(busyFor(44))).then(() => over++))
    await waitUntil(() => over >= 3)
    const overBefore = over
    expect(expectReturned(await pool.run(makeJob('return 1', { accountId: 'quiet' }))).value).toBe(1)
    // Each turn of an account has eight scripts; what is sent ahead would add to that.
    expect(over - overBefore).toBeLessThan(12)
    await Promise.all(all)
  })

  it('are begun once each, whatever happens before, between and after them', async () => {
    await using pool = await startPool({ size: 2, processesMax: 8, processesPerAccount: 4 })
    const quick = 'await api.get("a/b"); return variables.i'
    const kinds = [
      quick,
      'return (await api.get("a/b"), variables.i)',
      `const end = Date.now() + 45 + ${Math.floor(Math.random() * 30)}; while (Date.now() < end); ${quick}`,
      `await sleep(5); ${quick}`,
      quick,
      'await api.get("a/b"); const a = []; for (;;) a.push(new Array(1e5).fill(0))',
      quick,
    ]
    const begun = new Map<number, number>()
    const outcomes = await Promise.all(
      numbers(140).map((i) =>
        pool.run(
          makeJob(kinds[i % (i < 125 ? 5 : kinds.length)] as string, {
            accountId: `account-${Math.floor(i / 20) % 2}`,
            inputs: { variables: { i } },
            onCall: async () => {
              begun.set(i, (begun.get(i) ?? 0) + 1)
              return null
            },
          }),
        ),
      ),
    )
    expect(begun).toEqual(new Map(numbers(140).map((i) => [i, 1])))
    for (const [i, outcome] of outcomes.entries()) {
      if (i >= 125 && i % kinds.length === 5) expect(outcome.kind).toBe('outOfMemory')
      else expect(expectReturned(outcome).value).toBe(i)
    }
    expect(pool.load).toMatchObject({ computing: 0, queued: 0 })
  })
})
