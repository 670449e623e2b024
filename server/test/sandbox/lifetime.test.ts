import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { parseMessage } from '../../src/sandbox/process/parse-message.ts'
import { createLineReader } from '../../src/sandbox/protocol.ts'
import { expectReturned, makeJob, waitUntil } from './harness.ts'

const hasProc = existsSync('/proc/self/status')

function listChildren(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
}

/** False for a process that is gone or only waits to be collected by whoever inherited it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.runIf(hasProc)('script processes end with the service', () => {
  it('when the pool is closed, scripts under way included', async () => {
    const before = new Set(listChildren())
    // Two is what one organization may have of three: no other script begins when these have computed for long.
    const pool = await SandboxPool.create({ size: 2, processesMax: 3, processesPerAccount: 2 })
    const busy = pool.run(makeJob('for (;;);'))
    const queued = Array.from({ length: 5 }, () =>
      pool.run(makeJob('for (;;);')).catch((error: Error) => error.message),
    )
    await waitUntil(() => pool.load.queued === 4)
    const started = listChildren().filter((pid) => !before.has(pid))
    expect(started.length).toBeGreaterThanOrEqual(2)
    await pool[Symbol.asyncDispose]()
    expect((await busy).kind).toBe('crashed')
    expect((await Promise.all(queued)).filter((result) => result === 'The sandbox is closed.')).toHaveLength(4)
    expect(started.filter(isAlive)).toEqual([])
    await expect(pool.run(makeJob('return 1'))).rejects.toThrow('The sandbox is closed.')
  })

  it('and one that the system ended while it was idle is not given to a script', async () => {
    const before = new Set(listChildren())
    await using pool = await SandboxPool.create({ size: 1 })
    const idle = listChildren().filter((pid) => !before.has(pid))
    for (const pid of idle) process.kill(pid, 'SIGKILL')
    await waitUntil(() => idle.every((pid) => !existsSync(`/proc/${pid}`)))
    expect(await pool.checkScript('return 1')).toEqual({ ok: true })
    expect(expectReturned(await pool.run(makeJob('return 1'))).value).toBe(1)
  })

  it('when the service is killed without a chance to say anything', async () => {
    const service = spawn(process.execPath, [fileURLToPath(new URL('./doomed-service.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [text] = (await once(service.stdout, 'data')) as [Buffer]
    const pids = text.toString().trim().split(' ').map(Number)
    expect(pids.length).toBeGreaterThanOrEqual(3)
    expect(pids.filter(isAlive)).toEqual(pids)
    service.kill('SIGKILL')
    await waitUntil(() => pids.every((pid) => !isAlive(pid)))
  })
})

describe('the lifeline of a script process', () => {
  it('ends a busy process when the other end is closed, and leaves no way to start threads', async () => {
    const probe = spawn(process.execPath, [fileURLToPath(new URL('./lifeline-probe.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
    })
    const closed = once(probe, 'close')
    const [text] = (await once(probe.stdout as Readable, 'data')) as [Buffer]
    expect(JSON.parse(text.toString())).toEqual(['undefined', 'undefined', 'undefined'])
    ;(probe.stdio[4] as Duplex).destroy()
    expect(await closed).toEqual([null, 'SIGKILL'])
  })
})

describe('pool', () => {
  it('scripts that wait do not keep others from running', async () => {
    await using pool = await SandboxPool.create({ size: 1 })
    const release = Promise.withResolvers<null>()
    const waiting = [
      pool.run(makeJob('return await api.get("a/b")', { onCall: () => release.promise })),
      pool.run(makeJob('return myVault.get("k")', { accountId: 'b', onCall: () => release.promise })),
    ]
    for (let i = 0; i < 5; i++)
      expect(expectReturned(await pool.run(makeJob(`return ${i}`, { accountId: 'c' }))).value).toBe(i)
    release.resolve(null)
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ kind: 'returned', value: null })
    expect(pool.load).toMatchObject({ computing: 0, queued: 0 })
  })

  it.runIf(hasProc)('replaces a process after its number of runs', async () => {
    await using pool = await SandboxPool.create({ size: 1, runsPerProcess: 5 })
    const before = listChildren()
    for (let i = 0; i < 8; i++) expect(expectReturned(await pool.run(makeJob(`return ${i}`))).value).toBe(i)
    await waitUntil(() => listChildren().every((pid) => !before.includes(pid)) && pool.load.processes === 1)
    expect(expectReturned(await pool.run(makeJob('return "after"'))).value).toBe('after')
  })

  it('keeps to its limit of processes and runs everything in the end', async () => {
    await using pool = await SandboxPool.create({ size: 2, processesMax: 3 })
    let most = 0
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const outcome = expectReturned(
          await pool.run(
            makeJob('await sleep(5); return variables.i', { accountId: `a${i % 7}`, inputs: { variables: { i } } }),
          ),
        )
        most = Math.max(most, pool.load.processes)
        return outcome.value
      }),
    )
    expect(outcomes).toEqual(Array.from({ length: 60 }, (_, i) => i))
    expect(most).toBeLessThanOrEqual(3)
  })

  it('leaves processes to others however many scripts of one account wait', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 4, processesPerAccount: 2 })
    const release = Promise.withResolvers<null>()
    const waiting = Array.from({ length: 8 }, () =>
      pool.run(makeJob('return await api.get("a/b")', { accountId: 'sleeper', onCall: () => release.promise })),
    )
    await waitUntil(() => pool.load.processes === 2 && pool.load.computing === 0)
    expect(expectReturned(await pool.run(makeJob('return 1', { accountId: 'other' }))).value).toBe(1)
    release.resolve(null)
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ kind: 'returned' })
  })

  it.runIf(hasProc)('clears away what a killed service left, and nothing of one that lives', async () => {
    const ended = spawnSync(process.execPath, ['-e', '0'])
    const [left, kept] = [ended.pid, process.ppid].map((pid) => mkdtempSync(join(tmpdir(), `patchbay-scripts-${pid}-`)))
    await using _pool = await SandboxPool.create({ size: 1 })
    expect([existsSync(left as string), existsSync(kept as string)]).toEqual([false, true])
    rmSync(kept as string, { recursive: true })
  })

  it('refuses more of an account than its share of those that may wait, and lets others wait', async () => {
    await using pool = await SandboxPool.create({ size: 1, processesMax: 1, queueMax: 4 })
    const jobs = Array.from({ length: 5 }, () => makeJob('return 1'))
    const other = makeJob('return 2', { organizationId: 'other', accountId: 'other' })
    const results = await Promise.allSettled([...jobs, other].map((job) => pool.run(job)))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.map(({ reason }) => String(reason))).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('Too many scripts of this account are waiting.')),
    )
    expect(results.at(-1)).toMatchObject({ status: 'fulfilled', value: { kind: 'returned' } })
  })

  it('lets those stand outside that have time, until there is a place or nobody wants them any more', async () => {
    const pool = await SandboxPool.create({ size: 1, processesMax: 1, queueMax: 4 })
    const release = Promise.withResolvers<null>()
    const held = pool.run(makeJob('await api.get("a/b"); return 0', { onCall: () => release.promise }))
    const stop = new AbortController()
    const patient = (more: object = {}) => pool.run({ ...makeJob('return 1'), isPatient: true, ...more })
    const all = Array.from({ length: 20 }, () => patient())
    const unwanted = patient({ stopSignal: stop.signal })
    stop.abort()
    expect(await unwanted).toMatchObject({ kind: 'aborted' })
    expect(await patient({ signal: AbortSignal.abort() })).toMatchObject({ kind: 'aborted' })
    // One stop for some that wait and for some outside: those that it lets in are not wanted either.
    const stopAll = new AbortController()
    const stopped = Promise.all(
      Array.from({ length: 6 }, () => patient({ accountId: 'b', stopSignal: stopAll.signal })),
    )
    await new Promise((done) => setImmediate(done))
    stopAll.abort()
    for (const outcome of await stopped) expect(outcome).toMatchObject({ kind: 'aborted' })
    release.resolve(null)
    for (const outcome of await Promise.all([held, ...all])) expect(outcome).toMatchObject({ kind: 'returned' })
    const left = Promise.allSettled(Array.from({ length: 20 }, () => patient()))
    await pool[Symbol.asyncDispose]()
    const reasons = (await left).map((one) => (one.status === 'rejected' ? String(one.reason) : 'done'))
    expect(reasons.at(-1)).toContain('The sandbox is closed.')
  })

  it('answers of one job never reach another', async () => {
    await using pool = await SandboxPool.create({ size: 2, processesMax: 4 })
    const values = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const onCall = async () => ({ mine: i })
        const outcome = await pool.run(
          makeJob('return [(await api.get("a/b")).mine, myVault.get("k").mine, variables.i]', {
            accountId: `a${i % 3}`,
            inputs: { variables: { i } },
            onCall,
          }),
        )
        return expectReturned(outcome).value
      }),
    )
    expect(values).toEqual(Array.from({ length: 40 }, (_, i) => [i, i, i]))
  })
})

describe('messages of a script process', () => {
  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"type":"x"}',
    '{"type":"log","job":1,"lines":[1]}',
    '{"type":"call","job":"1"}',
    '{"type":"call","job":1,"call":1,"name":"api.get","args":{}}',
    '{"type":"done","job":1,"end":{"kind":"returned","value":{}}}',
    '{"type":"done","job":1.5,"end":{"kind":"valid"}}',
    '{"type":"idle","job":1,"answers":1e999}',
  ])('%j is refused', (line) => {
    expect(() => parseMessage(line)).toThrow()
  })

  it('are split at line ends wherever the bytes are cut, and refused when too long', () => {
    const bytes = Buffer.from('one\nzwei €\n\nlast\n')
    for (let size = 1; size < bytes.length; size++) {
      const lines: string[] = []
      const read = createLineReader(20, (line) => lines.push(line))
      for (let from = 0; from < bytes.length; from += size) read(bytes.subarray(from, from + size))
      expect(lines).toEqual(['one', 'zwei €', '', 'last'])
    }
    const read = createLineReader(5, () => {})
    expect(() => read(Buffer.from('123456\n'))).toThrow(RangeError)
    const slow = createLineReader(5, () => {})
    slow(Buffer.from('123'))
    expect(() => slow(Buffer.from('456'))).toThrow(RangeError)
  })
})
