import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/index.ts'
import { expectReturned, makeJob } from './harness.ts'

const clockMs = Date.UTC(2020, 1, 29, 12)

describe('a script with a clock of its own', () => {
  let pool: SandboxPool
  beforeAll(async () => {
    pool = await SandboxPool.create()
  })
  afterAll(() => pool[Symbol.asyncDispose]())

  const run = async (script: string, parts: Parameters<typeof makeJob>[1] = {}) =>
    expectReturned(await pool.run(makeJob(script, { ...parts, inputs: { clockMs } }))).value

  it('finds Date where it was set to, and going on from there', async () => {
    const seen = await run(`
      const before = Date.now()
      while (Date.now() < before + 20);
      return { now: before, made: new Date().getTime(), text: Date(), iso: new Date().toISOString() }`)
    const { now, made, text, iso } = seen as { now: number; made: number; text: string; iso: string }
    expect(now - clockMs).toBeLessThan(60_000)
    expect(made).toBeGreaterThanOrEqual(clockMs + 20)
    expect(text).toContain('Feb 29 2020')
    expect(iso).toMatch(/^2020-02-29T12:00/)
  })

  it('finds a Date like any other', async () => {
    const seen = await run(`
      class Day extends Date { isDay() { return this instanceof Day && this instanceof Date } }
      const made = new Date(2021, 0, 2)
      return [new Day(0).isDay(), new Day(0).toISOString(), made.constructor === Date, made instanceof Date, Date.name,
        Date.UTC(2000, 0, 1), Date.parse('2000-01-01T00:00:00Z'), Object.prototype.toString.call(made), JSON.stringify(new Date(0))]`)
    expect(seen).toEqual([
      ...[true, '1970-01-01T00:00:00.000Z', true, true, 'Date'],
      ...[946684800000, 946684800000, '[object Date]', '"1970-01-01T00:00:00.000Z"'],
    ])
  })

  it('does not wait when it sleeps: its clock moves on, and who wakes first is the same', async () => {
    let told = 0
    const seen = await run(
      `const start = Date.now()
       const order = []
       await Promise.all([[3, 1_800_000], [1, 60_000], [2, 600_000]].map(async ([name, ms]) => { await sleep(ms); order.push(name) }))
       await sleep(1_800_000)
       return { order, hours: Math.floor((Date.now() - start) / 3_600_000) }`,
      { onSleep: () => void told++ },
    )
    expect(seen).toEqual({ order: [1, 2, 3], hours: 1 })
    expect(told).toBe(0)
  })

  it('leaves the next script with the clock of the day', async () => {
    await run('return Date.now()')
    const [now, name] = expectReturned(await pool.run(makeJob('return [Date.now(), Date.toString()]'))).value as [
      number,
      string,
    ]
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
    expect(name).toContain('[native code]')
  })
})
