import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/lib/json.ts'
import { type ScriptCall, ScriptCallError } from '../../src/sandbox/job/calls.ts'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { expectReturned, makeJob } from './harness.ts'

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 1 })
})
afterAll(() => pool[Symbol.asyncDispose]())

type Parts = Parameters<typeof makeJob>[1]
const run = async (script: string, parts?: Parts) => expectReturned(await pool.run(makeJob(script, parts)))
const value = async (script: string, parts?: Parts) => (await run(script, parts)).value

describe('what a script is given', () => {
  it('has the results of its data sources in order', async () => {
    expect(await value('return Datasource', { inputs: { dataSources: [{ a: 1 }, [2], null] } })).toEqual([
      { a: 1 },
      [2],
      null,
    ])
  })

  it('has its variables under two names', async () => {
    const inputs = { variables: { shop: 'one', limit: 5 } }
    expect(await value('return [variables.shop, getVariables().limit]', { inputs })).toEqual(['one', 5])
  })

  it('has webhook, dateLastRun and run', async () => {
    const webhook = { id: '1', body: { a: 1 }, headers: {}, urlParameters: '', method: 'POST' }
    const inputs = { webhook, dateLastRun: '2026-01-02T03:04:05.000Z' }
    expect(await value('return [webhook.body.a, dateLastRun, run.idempotencyKey]', { inputs })).toEqual([
      1,
      '2026-01-02T03:04:05.000Z',
      'k',
    ])
    expect(await value('return [webhook, dateLastRun]')).toEqual([null, null])
  })

  it('may use the same names for its own variables', async () => {
    expect(await value('const session = 1, variables = 2; let api = 3; return session + variables + api')).toBe(6)
  })

  it('has no timers, modules, network or files', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'Buffer',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      'FinalizationRegistry',
      'WeakRef',
      'structuredClone',
      'XMLHttpRequest',
    ]
    expect(await value(`return ${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual([])
  })
})

describe('results', () => {
  it.each<[string, Json]>([
    ['', null],
    ['return undefined', null],
    ['return await Promise.resolve({ a: [1, "x", null, true] })', { a: [1, 'x', null, true] }],
    ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['return { then: undefined, a: undefined }', {}],
    ['return "\\u2028\\n\\ud800"', '\u2028\n\ud800'],
    ['return { ["__proto__"]: 1 }', JSON.parse('{"__proto__":1}')],
    ['return NaN', null],
  ])('%s', async (script, expected) => {
    expect(await value(script)).toEqual(expected)
  })

  it.each([
    'return () => 1',
    'return Symbol("a")',
    'return 10n',
    'const a = {}; a.a = a; return a',
    'return { toJSON() { throw new Error("no") } }',
  ])('%s is refused as not JSON', async (script) => {
    expect((await pool.run(makeJob(script))).kind).toBe('notJson')
  })
})

describe('calls', () => {
  const calls = async (script: string, answer: (call: ScriptCall) => Json = () => null) => {
    const seen: ScriptCall[] = []
    const outcome = await run(script, {
      onCall: async (call) => {
        seen.push(call)
        return answer(call)
      },
    })
    return { seen, value: outcome.value }
  }

  it('api.get, api.post and api.send reach the service as data', async () => {
    const script = `await api.get('shop/orders'); await api.post('shop/orders', { a: 1 })
      return await api.send('shop', { verb: 'PUT', requestUrl: '/x', data: [1], headers: { a: 'b' } }, true)`
    expect(await calls(script, (call) => ({ kind: call.kind }))).toEqual({
      seen: [
        { kind: 'api.get', url: 'shop/orders' },
        { kind: 'api.post', url: 'shop/orders', data: { a: 1 } },
        {
          kind: 'api.send',
          shortName: 'shop',
          request: { verb: 'PUT', requestUrl: '/x', data: [1], headers: { a: 'b' } },
          newVersion: true,
        },
      ],
      value: { kind: 'api.send' },
    })
  })

  it('email.send reaches the service as data', async () => {
    expect((await calls('await email.send({ to: "a@example.com" })')).seen).toEqual([
      { kind: 'email.send', message: { to: 'a@example.com' } },
    ])
  })

  it('myVault gives values with and without await', async () => {
    const vault = new Map<string, Json>([['workflow/a', { n: 1 }]])
    const answer = (call: ScriptCall): Json => {
      if (!('scope' in call)) throw new Error('unexpected')
      const key = `${call.scope}/${call.key}`
      if (call.kind === 'vault.get') return vault.get(key) ?? null
      if (call.kind === 'vault.contains') return vault.has(key)
      if (call.kind === 'vault.remove') return vault.delete(key)
      if (call.kind === 'vault.set') vault.set(key, call.value)
      return true
    }
    const script = `const plain = myVault.get('a'), awaited = await myVault.get('a'), missing = myVault.get('b')
      myVault.set('b', [2]); await myVault.setGlobal('g', 'x')
      return [plain.n, awaited.n, missing, myVault.get('b'), await myVault.getGlobal('g'), myVault.contains('b'), myVault.containsGlobal('b'),
        myVault.remove('b'), myVault.remove('b'), myVault.removeGlobal('g'), myVault.contains('b')]`
    expect((await calls(script, answer)).value).toEqual([1, 1, null, [2], 'x', true, false, true, false, true, false])
  })

  it('a call without await still happens before the script counts as finished', async () => {
    expect((await calls('api.post("a/b", 1); return 5')).seen).toHaveLength(1)
  })

  it('a rejection that nobody waits for does not fail the script, but is told in its log', async () => {
    const outcome = await run(
      'Promise.reject(new Error("lost")); Promise.reject(5); const p = api.get(5); await sleep(1); try { await p } catch { return "caught" }',
    )
    expect(outcome.value).toBe('caught')
    expect(outcome.log).toEqual([expect.stringMatching(/^\(A promise was rejected while nothing waited for it: /)])
  })

  it('many calls at once are all answered, each with its own answer', async () => {
    const script = 'return await Promise.all(Array.from({ length: 300 }, (_, i) => api.get("a/" + i)))'
    const answers = (await calls(script, (call) => ('url' in call ? call.url : null))).value
    expect(answers).toEqual(Array.from({ length: 300 }, (_, i) => `a/${i}`))
  })

  it('synchronous calls work while others are under way', async () => {
    const script = 'const a = api.get("a/1"); const v = myVault.get("k"); return [await a, v]'
    expect((await calls(script, (call) => call.kind)).value).toEqual(['api.get', 'vault.get'])
  })

  it('a refusal is an error with its details, which the script may catch', async () => {
    const onCall = async (): Promise<Json> => {
      throw new ScriptCallError('GET https://shop.example/x answered 404.', {
        method: 'GET',
        status: 404,
        body: 'gone',
      })
    }
    const script =
      'try { await api.get("shop/x") } catch (e) { return [e instanceof Error, e.message, e.status, e.body] }'
    expect(await value(script, { onCall })).toEqual([true, 'GET https://shop.example/x answered 404.', 404, 'gone'])
    const sync = 'try { myVault.get("x") } catch (e) { return [e instanceof Error, e.status] }'
    expect(await value(sync, { onCall })).toEqual([true, 404])
    expect(await pool.run(makeJob('\nawait api.get("shop/x")', { onCall }))).toMatchObject({
      kind: 'threw',
      message: 'GET https://shop.example/x answered 404.',
    })
  })

  it('a fault of the service is not shown to the script but rejects the run', async () => {
    const onCall = async (): Promise<Json> => {
      throw new TypeError('database away')
    }
    await expect(pool.run(makeJob('try { await api.get("a/b") } catch {} return 1', { onCall }))).rejects.toThrow(
      'database away',
    )
  })

  it.each([
    'api.get()',
    'api.get("")',
    'api.get({})',
    'api.send("a")',
    'api.send("a", [])',
    'api.get("a".repeat(9000))',
    'myVault.get()',
    'email.send("x")',
  ])('%s is refused without reaching the service', async (call) => {
    const { seen, value: message } = await calls(
      `try { await ${call}; return 'accepted' } catch (e) { return e.message }`,
    )
    expect(seen).toEqual([])
    expect(message).toMatch(/ needs /)
  })

  it.each([
    ['api', 'api.get("a/b")'],
    ['vault', 'myVault.get("k")'],
    ['email', 'email.send({})'],
  ])('without the capability %s nothing reaches the service', async (capability, call) => {
    let count = 0
    const capabilities = { api: true, vault: true, email: true, [capability]: false }
    const onCall = async () => ++count
    expect(await value(`try { await ${call} } catch (e) { return e.message }`, { capabilities, onCall })).toMatch(
      /^This script may not use /,
    )
    expect(count).toBe(0)
  })
})

describe('session and deferred writes', () => {
  const session = { vars: { a: 1 }, vault: { old: 1 }, vaultGlobal: {} }

  it('session.vars go from block to block', async () => {
    expect((await run('session.vars.b = session.vars.a + 1', { inputs: { session } })).sessionVars).toEqual({
      a: 1,
      b: 2,
    })
    expect((await run('session.vars = { c: 3 }', { inputs: { session } })).sessionVars).toEqual({ c: 3 })
  })

  it('vault values can be deferred in two ways', async () => {
    const script = `const v = { n: 1 }; myVault.setOnComplete('k', v); v.n = 2
      myVault.setGlobalOnComplete('g', [1]); session.vault.s = 'x'; session.vaultGlobal.t = 'y'`
    expect((await run(script, { inputs: { session } })).deferredVault).toEqual({
      workflow: { old: 1, k: { n: 1 }, s: 'x' },
      global: { g: [1], t: 'y' },
    })
  })

  it('a session that is no object any more is refused', async () => {
    expect((await pool.run(makeJob('session.vars = 5'))).kind).toBe('notJson')
    expect((await pool.run(makeJob('Object.defineProperty(session, "vars", { get() { throw 1 } })'))).kind).toBe(
      'notJson',
    )
  })
})

describe('fx', () => {
  const library = [
    { name: 'double', isAsync: false, arguments: ['n'], script: 'return n * 2' },
    { name: 'later', isAsync: true, arguments: ['a', 'b'], script: 'await null\nreturn fx.double(a) + b // end' },
    { name: 'broken', isAsync: false, arguments: [], script: '}, process.exit(), function () {' },
  ]

  it('library functions are called by name and see each other', async () => {
    expect(await value('return [fx.double(4), await fx.later(1, 5)]', { library })).toEqual([8, 7])
  })

  it('a function whose text reaches outside of its braces only fails when called', async () => {
    expect(await value('try { fx.broken() } catch (e) { return e.message }', { library })).toBe(
      'fx.broken has a syntax error.',
    )
  })

  it('stopAfterThisBlock tells the flag', async () => {
    expect((await run('fx.stopAfterThisBlock(true)', { library })).stop).toEqual({ flag: true })
    expect((await run('fx.stopAfterThisBlock()')).stop).toEqual({ flag: false })
    expect((await run('return 1')).stop).toBeUndefined()
  })
})

describe('fx.decodeText and fx.encodeText', () => {
  const samples: [charset: string, text: string, base64: string][] = [
    ['iso-8859-1', 'Blåbær', 'QmzlYuZy'],
    ['windows-1252', '€ 5', 'gCA1'],
    ['utf-16be', 'Å', 'AMU='],
    ['shift_jis', '日本', 'k/qWew=='],
    ['gb18030', '中😀', '1tCUOfw2'],
    ['iso-2022-jp', 'a日b', 'YRskQkZ8GyhCYg=='],
    ['euc-kr', '한글', 'x9Gx2w=='],
  ]

  it.each(samples)('know %s', async (charset, text, base64) => {
    const script =
      'const { charset, text, base64 } = variables; return [fx.encodeText(text, charset), fx.decodeText(base64, charset)]'
    expect(await value(script, { inputs: { variables: { charset, text, base64 } } })).toEqual([base64, text])
  })

  it('refuse what they cannot do', async () => {
    const refusal = (call: string) => value(`try { return ${call} } catch (error) { return error.message }`)
    expect(await refusal('fx.decodeText("QQ==", "martian")')).toBe('The character set "martian" is unknown.')
    expect(await refusal('fx.encodeText("日", "iso-8859-1")')).toBe(
      'The character "日" does not exist in windows-1252.',
    )
    expect(await refusal('fx.encodeText(1, "utf-8")')).toBe('fx.encodeText: the first argument must be a string.')
  })
})

describe('log', () => {
  it('is one ordered list of strings from all writers', async () => {
    const script =
      'console.log("a"); console.info("b"); console.warn("c"); console.error("d"); logger.log("e", 1, true)'
    expect((await run(script)).log).toEqual(['a', 'b', 'c', 'd', 'e 1 true'])
  })

  it('also takes what table, dir, trace and debug are given', async () => {
    const script = 'console.table([{ a: 1 }]); console.dir({ b: 2 }); console.trace("c"); console.debug("d")'
    expect((await run(script)).log).toEqual(['[{"a":1}]', '{"b":2}', 'c', 'd'])
  })

  it('writes objects as JSON and empty values as null', async () => {
    const script =
      'console.log({ a: [1, NaN] }); for (const v of [undefined, null, NaN, Infinity, -Infinity, "", 10n]) console.log(v); console.log(); console.log(new TypeError("x")); const c = {}; c.c = c; console.log(c)'
    expect((await run(script)).log).toEqual([
      '{"a":[1,null]}',
      'null',
      'null',
      'null',
      'null',
      'null',
      'null',
      '10',
      'null',
      'TypeError: x',
      '(a value that cannot be written as JSON)',
    ])
  })

  it('is returned for a script that fails, too', async () => {
    expect(await pool.run(makeJob('console.log("before"); throw new Error("x")'))).toMatchObject({
      kind: 'threw',
      log: ['before'],
    })
  })
})

describe('sleep', () => {
  it('counts as pause, is told to the service, and is not taken from the time limit', async () => {
    const told: number[] = []
    const outcome = await run('await sleep(2200); return 1', {
      limits: { timeMs: 2000 },
      onSleep: (ms) => told.push(ms),
    })
    expect(outcome.pauseMs).toBeGreaterThanOrEqual(2190)
    expect(told).toEqual([2200])
  })

  it('refuses more than an hour', async () => {
    const script = 'try { await sleep(3600001); return 1 } catch (error) { return error.message }'
    expect(await value(script)).toMatch(/at most 3600000 ms/)
  })

  it('accepts anything as a duration', async () => {
    expect(await value('await sleep(); await sleep(-1); await sleep("x"); await sleep(NaN); return 1')).toBe(1)
  })
})
