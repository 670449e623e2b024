import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { makeJob } from './harness.ts'

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 1 })
})
afterAll(() => pool[Symbol.asyncDispose]())

const MIB = 1024 * 1024

describe('time', () => {
  it('a busy loop is stopped at its limit and its log survives', async () => {
    const outcome = await pool.run(
      makeJob('console.log("one"); console.log("two"); for (;;);', { limits: { timeMs: 3000 } }),
    )
    expect(outcome).toMatchObject({ kind: 'timedOut', limitMs: 3000, log: ['one', 'two'] })
  })

  it('a sleep that nobody waits for gives no free time to compute', async () => {
    const outcome = await pool.run(makeJob('sleep(60000); for (;;);', { limits: { timeMs: 300 } }))
    expect(outcome.kind).toBe('timedOut')
  })

  it('waiting for an ordinary call counts, waiting that is declared a pause does not', async () => {
    const wait = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null))
    const slow = await pool.run(
      makeJob('await api.get("a/b")', { limits: { timeMs: 300 }, onCall: () => new Promise(() => {}) }),
    )
    expect(slow.kind).toBe('timedOut')
    const limits = { timeMs: 3000 }
    const paused = await pool.run(
      makeJob('await api.get("a/b"); myVault.get("k"); return 1', {
        limits,
        onCall: (_, context) => context.pause(() => wait(1600)),
      }),
    )
    expect(paused).toMatchObject({ kind: 'returned', value: 1 })
    expect(paused.pauseMs).toBeGreaterThan(limits.timeMs)
  })

  it('pauses are limited, too', async () => {
    expect(await pool.run(makeJob('await sleep(60000)', { limits: { pauseMsMax: 200 } }))).toMatchObject({
      kind: 'timedOut',
      limitMs: 200,
    })
  })

  it('work that a script leaves behind after its return still counts', async () => {
    const outcome = await pool.run(
      makeJob('(async () => { for (;;) await null })(); return 1', { limits: { timeMs: 300 } }),
    )
    expect(outcome.kind).toBe('timedOut')
  })

  it('a promise that nothing can settle is noticed at once', async () => {
    expect(await pool.run(makeJob('console.log("x"); await new Promise(() => {})'))).toMatchObject({
      kind: 'stalled',
      log: ['x'],
    })
    expect((await pool.run(makeJob('await api.get("a/b"); await new Promise(() => {})'))).kind).toBe('stalled')
  })

  it('calls under way are told when their script is over', async () => {
    const aborted = Promise.withResolvers<boolean>()
    const onCall: Parameters<typeof pool.run>[0]['onCall'] = (_, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => aborted.resolve(true)))
    const outcome = await pool.run(makeJob('await api.get("a/b")', { limits: { timeMs: 200 }, onCall }))
    expect(outcome.kind).toBe('timedOut')
    expect(await aborted.promise).toBe(true)
  })

  it('a script can be stopped from outside', async () => {
    const stop = new AbortController()
    const onCall = async () => {
      stop.abort()
      return null
    }
    expect((await pool.run(makeJob('myVault.get("k"); for (;;);', { signal: stop.signal, onCall }))).kind).toBe(
      'aborted',
    )
  })
})

describe('sizes', () => {
  it('a result of just 5 MiB is returned, a larger one is refused in words', async () => {
    expect((await pool.run(makeJob(`return 'x'.repeat(${5 * MIB - 2})`))).kind).toBe('returned')
    expect(await pool.run(makeJob(`return 'x'.repeat(${5 * MIB - 1})`))).toMatchObject({
      kind: 'resultTooLarge',
      message: 'The result is larger than 5242880 bytes.',
      limitBytes: 5 * MIB,
    })
  })

  it('bytes count, not characters', async () => {
    expect((await pool.run(makeJob(`return '€'.repeat(${2 * MIB})`))).kind).toBe('resultTooLarge')
  })

  it('the session is limited like a result', async () => {
    const outcome = await pool.run(makeJob(`session.vars.a = 'x'.repeat(${6 * MIB})`))
    expect(outcome).toMatchObject({ kind: 'resultTooLarge', message: 'session.vars is larger than 5242880 bytes.' })
  })

  it('keeps every line in its order, however many there are', async () => {
    const { log } = await pool.run(
      makeJob('for (let i = 0; i < 5000; i++) console.log(i); await sleep(1); console.log("end")'),
    )
    expect(log).toEqual([...Array.from({ length: 5000 }, (_, index) => `${index}`), 'end'])
  })

  it('a log is cut at 1 MiB with a line that says so, and the script goes on', async () => {
    const outcome = await pool.run(makeJob('for (let i = 0; i < 30000; i++) console.log("x".repeat(99)); return 1'))
    expect(outcome).toMatchObject({ kind: 'returned', value: 1 })
    expect(outcome.log.at(-1)).toBe('(The log is cut off here: it is longer than 1048576 bytes.)')
    expect(Buffer.byteLength(outcome.log.slice(0, -1).join('\n'))).toBeLessThanOrEqual(MIB)
    expect(Buffer.byteLength(outcome.log.join('\n'))).toBeGreaterThan(MIB - 200)
  })

  it('one line that is too long is cut, too', async () => {
    const { log } = await pool.run(makeJob('console.log("€".repeat(2e6)); console.log("more")'))
    expect(log).toHaveLength(2)
    expect(Buffer.byteLength(log[0] ?? '')).toBeGreaterThan(MIB - 10)
    expect(log[0]).toMatch(/^€+$/)
  })

  it('a value nested too deeply is refused as a result and as an argument', async () => {
    const nest = (depth: number) => `let v = 1; for (let i = 0; i < ${depth}; i++) v = [v];`
    expect((await pool.run(makeJob(`${nest(399)} return v`))).kind).toBe('returned')
    expect((await pool.run(makeJob(`${nest(1000)} return v`))).kind).toBe('notJson')
    expect(await pool.run(makeJob(`${nest(1000)} await api.post('a/b', v)`))).toMatchObject({
      kind: 'threw',
      message: expect.stringContaining('nested too deeply'),
    })
  })

  it('a call with too much data is refused inside', async () => {
    const outcome = await pool.run(makeJob(`await api.post('a/b', 'x'.repeat(${9 * MIB}))`))
    expect(outcome).toMatchObject({ kind: 'threw', message: expect.stringContaining('more than 8388608 bytes') })
  })

  it('large inputs and answers arrive whole', async () => {
    const text = 'ü'.repeat(3 * MIB)
    const script = 'return [Datasource[0].length, (await api.get("a/b")).length, myVault.get("k").length]'
    expect(
      await pool.run(makeJob(script, { inputs: { dataSources: [text] }, onCall: async () => text })),
    ).toMatchObject({ value: [3 * MIB, 3 * MIB, 3 * MIB] })
  })

  it('a script longer than a mebibyte is refused', async () => {
    expect((await pool.run(makeJob(`//${'x'.repeat(MIB)}`))).kind).toBe('invalid')
    expect((await pool.checkScript(`//${'x'.repeat(MIB)}`)).ok).toBe(false)
  })
})

describe('errors', () => {
  it('tell line and column of the script', async () => {
    expect(await pool.run(makeJob('const a = 1\n\n  null.x'))).toMatchObject({
      kind: 'threw',
      name: 'TypeError',
      line: 3,
      column: 8,
    })
  })

  it('tell the place in library callers and the file name when there is one', async () => {
    const library = [{ name: 'fail', isAsync: false, arguments: [], script: 'throw new RangeError("deep")' }]
    expect(await pool.run(makeJob('let x\nfx.fail()', { library, fileName: 'orders' }))).toMatchObject({
      kind: 'threw',
      line: 2,
      message: 'RangeError: deep (orders:2:4)',
    })
  })

  it.each([
    ['throw "text"', 'text'],
    ['throw { code: 5 }', '{"code":5}'],
    ['throw null', 'null'],
    ['throw undefined', 'null'],
    ['throw new Proxy({}, { get() { throw 1 } })', 'The script threw a value that cannot be described.'],
    ['throw Object.assign(new Error("a"), { name: 7, stack: {} })', 'a'],
    ['const e = new Error("forged"); e.stack = "patchbay-script:999999:1"; throw e', 'forged'],
  ])('%s gives a message', async (script, message) => {
    expect(await pool.run(makeJob(script))).toMatchObject({ kind: 'threw', message })
  })
})
