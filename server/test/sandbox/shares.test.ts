import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Owner } from '../../src/lib/fair-queue.ts'
import type { ScriptOutcome } from '../../src/sandbox/judge/outcome.ts'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { toPoolLimits } from '../../src/sandbox/pool/pool-options.ts'
import { ProcessShares } from '../../src/sandbox/pool/process-shares.ts'
import { sleepingScripts } from '../harness/sleeping-scripts.ts'
import { expectReturned, makeJob, waitUntil } from './harness.ts'

const hasProc = existsSync('/proc/self/status')

function listChildren(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
}

/** Scripts that sleep for longer than any test; they end with the pool. */
function sleep(pool: SandboxPool, owner: Owner, count: number): void {
  for (let i = 0; i < count; i++) void pool.run(makeJob('await sleep(600000)', owner)).catch(() => {})
}

async function answerOf(pool: SandboxPool, owner: Owner): Promise<unknown> {
  return expectReturned(await pool.run(makeJob('return 1', owner))).value
}

describe('scripts that sleep', () => {
  it('of three accounts of one organization leave processes to others', async () => {
    await using pool = await SandboxPool.create({ size: 2, processesMax: 8 })
    for (const accountId of ['one', 'two', 'three']) sleep(pool, { organizationId: 'sleepers', accountId }, 20)
    await waitUntil(() => pool.load.processes === 6 && pool.load.computing === 0)
    for (let i = 0; i < 5; i++) expect(await answerOf(pool, { organizationId: 'other', accountId: 'other' })).toBe(1)
    expect(pool.load).toMatchObject({ queued: 54, computing: 0 })
  })

  it('of one account leave processes to the other accounts of its organization', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 8 })
    sleep(pool, { organizationId: 'one', accountId: 'sleeper' }, 20)
    await waitUntil(() => pool.load.processes === 4 && pool.load.computing === 0)
    expect(await answerOf(pool, { organizationId: 'one', accountId: 'neighbour' })).toBe(1)
  })

  it('of any number of organizations leave a process to the next one', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 2 })
    for (const name of ['a', 'b', 'c']) sleep(pool, { organizationId: name, accountId: name }, 3)
    await waitUntil(() => pool.load.processes === 3 && pool.load.computing === 0)
    expect(await answerOf(pool, { organizationId: 'late', accountId: 'late' })).toBe(1)
    expect(pool.load.queued).toBe(6)
  })
})

describe('a script that waits for a process', () => {
  const asked = ['signal', 'stopSignal'] as const

  it.each(asked)('is not begun once its %s is aborted, and makes room at once', async (name) => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 1 })
    const owner = { organizationId: 'one', accountId: 'one' }
    sleep(pool, owner, 1)
    await waitUntil(() => pool.load.computing === 0 && pool.load.queued === 0)
    const nobody = new AbortController()
    const begun: string[] = []
    const parts = { ...owner, [name]: nobody.signal, onBegin: () => begun.push(name) }
    const waiting = [1, 2, 3].map(() => pool.run(makeJob('return 1', parts)))
    expect(pool.load.queued).toBe(3)
    nobody.abort()
    for (const outcome of await Promise.all(waiting)) expect(outcome.kind).toBe('aborted')
    expect(pool.load.queued).toBe(0)
    expect(begun).toEqual([])
  })

  it('is begun when only others gave up', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 1 })
    const long = new AbortController()
    const first = pool.run(makeJob('for (;;);', { signal: long.signal }))
    await waitUntil(() => pool.load.computing === 1)
    const givingUp = new AbortController()
    const [given, kept] = [givingUp.signal, new AbortController().signal].map((stopSignal) =>
      pool.run(makeJob('return 1', { stopSignal })),
    )
    givingUp.abort()
    expect((await given)?.kind).toBe('aborted')
    long.abort()
    expect((await first).kind).toBe('aborted')
    expect(expectReturned((await kept) as ScriptOutcome).value).toBe(1)
  })
})

describe('a neighbour', () => {
  it.each(sleepingScripts)('leaves processes to others: $name', async ({ script, accounts }) => {
    await using pool = await SandboxPool.create({ size: 2, processesMax: 6 })
    const begun = Promise.withResolvers<void>()
    const onCall = async () => {
      begun.resolve()
      return null
    }
    for (let account = 0; account < accounts; account++)
      for (let run = 0; run < 5; run++)
        void pool
          .run(makeJob(`myVault.get("k"); ${script}`, { organizationId: 'bad', accountId: `bad${account}`, onCall }))
          .catch(() => {})
    await begun.promise
    for (let i = 0; i < 3; i++) expect(await answerOf(pool, { organizationId: 'good', accountId: 'good' })).toBe(1)
  })
})

describe('shares of processes', () => {
  const limits = toPoolLimits({ size: 2, processesMax: 64 })
  const fill = (shares: ProcessShares, owner: Owner): number => {
    let count = 0
    for (; shares.mayHoldAnother(owner); count++) shares.count(owner, 1)
    return count
  }

  it('shrink from one organization to the next and never come to nothing', () => {
    const shares = new ProcessShares(limits)
    const held = ['a', 'b', 'c', 'd', 'e'].map((organizationId) => {
      let sum = 0
      for (let account = 0; account < 30; account++)
        sum += fill(shares, { organizationId, accountId: `${organizationId}${account}` })
      return sum
    })
    expect(held).toEqual([48, 12, 3, 1, 1])
  })

  it('grow again when others let go', () => {
    const shares = new ProcessShares(limits)
    const [first, second] = [
      { organizationId: 'a', accountId: 'a' },
      { organizationId: 'b', accountId: 'b' },
    ]
    const held = fill(shares, first)
    const beside = fill(shares, second)
    for (let i = 0; i < held; i++) shares.count(first, -1)
    expect(beside + fill(shares, second)).toBe(held)
  })

  it('let one organization alone use every core', () => {
    const shares = new ProcessShares(toPoolLimits({ size: 64, processesMax: 74 }))
    expect(fill(shares, { organizationId: 'a', accountId: 'a' })).toBeGreaterThanOrEqual(63)
  })
})

describe.runIf(hasProc)('a process', () => {
  it('serves one organization, as long as there may be more processes', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 4 })
    for (let round = 0; round < 5; round++)
      for (const name of ['a', 'b', 'c'])
        expect(await answerOf(pool, { organizationId: name, accountId: name })).toBe(1)
    expect(pool.load.processes).toBe(3)
  })

  it('serves all accounts of its organization', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 4 })
    for (const accountId of ['a', 'b', 'c']) expect(await answerOf(pool, { organizationId: 'one', accountId })).toBe(1)
    expect(pool.load.processes).toBe(1)
  })

  it('is replaced before it serves another organization, when there may be no more', async () => {
    const before = new Set(listChildren())
    await using pool = await SandboxPool.create({ size: 1, processesMax: 1 })
    const started = () => listChildren().filter((pid) => !before.has(pid))
    expect(await answerOf(pool, { organizationId: 'a', accountId: 'a' })).toBe(1)
    const [first] = started()
    expect(await answerOf(pool, { organizationId: 'b', accountId: 'b' })).toBe(1)
    await waitUntil(() => !started().includes(first as number))
    expect(started()).toHaveLength(1)
  })

  it('serves several in turn rather than being replaced for every script', async () => {
    const before = new Set(listChildren())
    await using pool = await SandboxPool.create({ size: 1, processesMax: 1, separationsMax: 2 })
    const seen = new Set<number>()
    for (let round = 0; round < 12; round++) {
      const name = round % 2 === 0 ? 'a' : 'b'
      expect(await answerOf(pool, { organizationId: name, accountId: name })).toBe(1)
      for (const pid of listChildren()) if (!before.has(pid)) seen.add(pid)
    }
    // Two in ten seconds; on a slow machine the rounds take longer than that.
    expect(seen.size).toBeLessThan(12)
  })
})
