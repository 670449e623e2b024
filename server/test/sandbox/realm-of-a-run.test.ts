import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/index.ts'
import { expectReturned, makeJob } from './harness.ts'

let pool: SandboxPool

beforeAll(async () => {
  // One process, so that every script could meet what another left behind.
  pool = await SandboxPool.create({ size: 1, processesMax: 1 })
})

afterAll(async () => {
  await pool[Symbol.asyncDispose]()
})

let lastRun = 0

/** The values that scripts of one run return, one after the other. */
async function runAll(...scripts: string[]): Promise<unknown[]> {
  const key = `run-${++lastRun}`
  const values: unknown[] = []
  for (const [index, script] of scripts.entries()) {
    const job = makeJob(script, { run: { key, isLast: index === scripts.length - 1 } })
    values.push(expectReturned(await pool.run(job)).value)
  }
  return values
}

function defineGlobal(name: string, property: string): string {
  return `Object.defineProperty(globalThis, "${name}", { configurable: true, ${property} })`
}

describe('scripts of one run', () => {
  it.each([
    ['an implicit global', 'leftover = 1; return 1', 'return typeof leftover'],
    [
      'a global that cannot be removed',
      'Object.defineProperty(globalThis, "leftover", { value: 1 })',
      'return typeof leftover',
    ],
    ['a replaced global', 'parseInt = () => 7', 'return parseInt("12") === 12 ? "undefined" : "seen"'],
    ['a global with a number as name', 'globalThis[0] = 1', 'return typeof globalThis[0]'],
    ['an addition to a prototype', 'String.prototype.shout = () => "!"', 'return typeof "".shout'],
    ['a toJSON of their own', 'BigInt.prototype.toJSON = () => 1', 'return typeof BigInt.prototype.toJSON'],
    [
      'a replaced method',
      'Date.prototype.toJSON = () => "x"',
      'return new Date(0).toJSON() === "x" ? "seen" : "undefined"',
    ],
    ['a replaced function', 'Math.random = () => 7', 'return Math.random() === 7 ? "seen" : "undefined"'],
    [
      'a getter on the prototype of all',
      'Object.defineProperty(Object.prototype, "x", { get: () => 1 })',
      'return typeof ({}).x',
    ],
    ['a function of the library', 'fx.leftover = 1', 'return typeof fx.leftover'],
    ['changed inputs', 'session.leftover = 1; webhook = 5', 'return typeof session.leftover + (webhook ?? "")'],
    ['an input that answers by itself', defineGlobal('webhook', 'get: () => 5'), 'return webhook ?? "undefined"'],
    [
      'an input that cannot be set',
      'Object.defineProperty(globalThis, "run", { value: 5 })',
      'return typeof run.leftover',
    ],
    ['a replaced function of ours', 'console.log = null', 'return console.log === null ? "seen" : "undefined"'],
    ['a replaced object of ours', 'api = null', 'return api === null ? "seen" : "undefined"'],
    ['an addition to an object of ours', 'myVault.leftover = 1', 'return typeof myVault.leftover'],
    ['a global named by a symbol', 'globalThis[Symbol.for("x")] = 1', 'return typeof globalThis[Symbol.for("x")]'],
    [
      'a closed realm',
      'Object.preventExtensions(globalThis)',
      'return Object.isExtensible(globalThis) ? "undefined" : "closed"',
    ],
    ['a frozen object of ours', 'Object.freeze(api)', 'return Object.isFrozen(api) ? "frozen" : "undefined"'],
    ['a property of a function of ours', 'api.get.count = 7', 'return typeof api.get.count'],
    ['a property of ours under a symbol', 'api[Symbol.for("x")] = 1', 'return typeof api[Symbol.for("x")]'],
    ['a property of Error', 'Error.extra = 7', 'return typeof Error.extra'],
    [
      'another depth of stacks',
      'Error.stackTraceLimit = 3',
      'return Error.stackTraceLimit === 3 ? "seen" : "undefined"',
    ],
    ['the lack of a name of ours', 'delete globalThis.sleep', 'return sleep ? "undefined" : "gone"'],
    ['the lack of a built-in', 'delete globalThis.Intl', 'return Intl ? "undefined" : "gone"'],
    ['another library', 'fx = 5', 'return fx === 5 ? "seen" : "undefined"'],
    ['another library by definition', defineGlobal('fx', 'value: 5'), 'return fx === 5 ? "seen" : "undefined"'],
  ])('do not meet %s', async (_what, first, second) => {
    expect((await runAll(`${first}\nreturn 1`, second))[1]).toBe('undefined')
  })

  it('follow each other in one realm when it was left as it was found', async () => {
    // A mark where nobody looks.
    const mark = 'Map.prototype.get.mark = 7; return 1'
    expect((await runAll(mark, 'return 2', 'return Map.prototype.get.mark ?? null'))[2]).toBe(7)
    expect((await runAll(mark, 'leftover = 1; return 2', 'return Map.prototype.get.mark ?? null'))[2]).toBe(7)
    expect((await runAll(mark, 'Math.random = 1; return 2', 'return Map.prototype.get.mark ?? null'))[2]).toBe(null)
  })

  it('have their own inputs, session and end', async () => {
    const key = `run-${++lastRun}`
    const one = await pool.run(
      makeJob('session.vars.a = 1; fx.stopAfterThisBlock(true); return variables.x', {
        run: { key, isLast: false },
        inputs: { variables: { x: 'first' } },
      }),
    )
    const two = await pool.run(
      makeJob('return [variables.x, session.vars.a ?? null]', {
        run: { key, isLast: true },
        inputs: { variables: { x: 'second' } },
      }),
    )
    expect(expectReturned(one)).toMatchObject({ value: 'first', stop: { flag: true } })
    expect(expectReturned(two).value).toEqual(['second', null])
    expect(two).not.toHaveProperty('stop')
  })

  it('are not disturbed by what an earlier one did not wait for', async () => {
    const [, second] = await runAll(
      'sleep(60_000).then(() => console.log("late")); return 1',
      'await sleep(1); console.log("mine"); return await sleep(1).then(() => "done")',
    )
    expect(second).toBe('done')
  })

  it('have a whole log each', async () => {
    const key = `run-${++lastRun}`
    const limits = { logBytesMax: 100 }
    for (const isLast of [false, true]) {
      const outcome = await pool.run(makeJob('console.log("x".repeat(80))', { run: { key, isLast }, limits }))
      expect(outcome.log).toEqual(['x'.repeat(80)])
    }
  })

  it('go on in a new realm after one that failed', async () => {
    const key = `run-${++lastRun}`
    await pool.run(makeJob('Array.prototype.copyWithin = 1; throw new Error("no")', { run: { key, isLast: false } }))
    const after = await pool.run(makeJob('return typeof [].copyWithin', { run: { key, isLast: true } }))
    expect(expectReturned(after).value).toBe('function')
  })
})

describe('a realm', () => {
  it('has no names but those of the language and those told in the documentation', async () => {
    const names = String(
      (await runAll('return Object.getOwnPropertyNames(globalThis).filter((name) => /^[a-z]/.test(name))'))[0],
    ).split(',')
    const ofTheLanguage = ['decode', 'encode', 'escape', 'eval', 'globalThis', 'is', 'parse', 'undefined', 'unescape']
    expect(names.filter((name) => !ofTheLanguage.some((start) => name.startsWith(start))).sort()).toEqual(
      'api console dateLastRun email events fx getVariables logger myVault run session sleep variables webhook'.split(
        ' ',
      ),
    )
  })
})

describe('scripts of different runs', () => {
  it('never meet, whatever one of them changed', async () => {
    await runAll('Array.prototype.copyWithin = () => "seen"; return 1', 'return 1')
    const job = makeJob('return [].copyWithin(0) === "seen"', { run: { key: 'another', isLast: false } })
    expect(expectReturned(await pool.run(job)).value).toBe(false)
  })

  it('never meet when more of them are open than a process keeps', async () => {
    const keys = Array.from({ length: 150 }, (_, index) => `many-${index}`)
    for (const key of keys)
      await pool.run(makeJob(`Array.prototype.copyWithin = () => "${key}"; return 1`, { run: { key, isLast: false } }))
    for (const key of keys) {
      const job = makeJob('return [].copyWithin.toString()', { run: { key, isLast: true } })
      const value = String(expectReturned(await pool.run(job)).value)
      expect(value.includes('native code') || value.includes(`"${key}"`)).toBe(true)
    }
  })

  it('do not wait for what one of them left behind in its prototypes', async () => {
    // As many properties as before, so that only reading them finds out, and whoever reads a description of a property runs into it.
    const trap = `
      delete Object.prototype.__lookupGetter__
      Object.defineProperty(Object.prototype, 'get', { configurable: true, get() { for (;;); } })
      return 1`
    const limits = { timeMs: 5000 }
    await pool.run(makeJob(trap, { run: { key: 'trap', isLast: false }, limits }))
    const innocent = await pool.run(makeJob('return 2', { accountId: 'account-2', limits }))
    expect(expectReturned(innocent).value).toBe(2)
  })

  it('have their memory for themselves, however much those before them were given', async () => {
    const text = 'x'.repeat(5_000_000)
    for (let i = 0; i < 4; i++) {
      const job = makeJob('return Datasource.length', {
        run: { key: `large-${i}`, isLast: true },
        inputs: { dataSources: Array.from({ length: 8 }, () => text) },
      })
      expect(expectReturned(await pool.run(job)).value).toBe(8)
    }
  })

  it('go on after one that left no memory for anything else', async () => {
    const greedy = `
      const kept = []
      Array.prototype.concat = () => kept
      for (let i = 0; i < 118; i++) kept.push(new Array(131_072).fill(i + 0.5))
      return kept.length`
    await pool.run(makeJob(greedy, { run: { key: 'greedy', isLast: false } }))
    for (const accountId of ['account-1', 'account-2'])
      expect(expectReturned(await pool.run(makeJob('return 3', { accountId }))).value).toBe(3)
  })
})
