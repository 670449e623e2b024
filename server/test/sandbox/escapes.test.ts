import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScriptCall } from '../../src/sandbox/job/calls.ts'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { proofSize } from '../harness/proof-size.ts'
import { breakouts, escapes } from './escapes.ts'
import { expectReturned, makeJob } from './harness.ts'

const times = proofSize('HOSTILE_TIMES', { small: 1, large: 20 })

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 1 })
})
afterAll(() => pool[Symbol.asyncDispose]())

/**
 * Walks everything that can be reached from the prey and tells what is not of the script's own realm. A host function that
 * only carries texts would pass as the realm's own, so every function found is called with the text of a forged call.
 */
const inspector = `
const own = { Object, Function, Array, Error, Promise, ownKeys: Reflect.ownKeys, apply: Reflect.apply, proto: Object.getPrototypeOf, describe: Object.getOwnPropertyDescriptor, text: Function.prototype.toString, stringify: JSON.stringify, parse: JSON.parse, objectProto: Object.prototype, functionProto: Function.prototype }
const hostNames = ['process', 'require', 'module', 'Buffer', 'setTimeout', 'setImmediate', 'fetch', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Reference', 'Isolate', 'ExternalCopy', 'ivm']
const known = new Set()
const learn = (item) => {
  if ((typeof item !== 'object' && typeof item !== 'function') || item === null || known.has(item)) return
  known.add(item)
  for (const key of own.ownKeys(item)) { const property = own.describe(item, key); learn(property.value); learn(property.get); learn(property.set) }
  learn(own.proto(item))
}
learn(globalThis)
const inspect = (prey) => {
  const found = []
  const add = (what) => { found[found.length] = what }
  const todo = [prey], seen = new Set()
  for (let i = 0; i < todo.length && i < 4000; i++) {
    const item = todo[i]
    if ((typeof item !== 'object' && typeof item !== 'function') || item === null || seen.has(item)) continue
    seen.add(item)
    try {
      let top = item, isOfRealm = false
      for (let n = 0; top !== null && n < 20; n++) { isOfRealm ||= top === own.objectProto; const next = own.proto(top); if (next === null) break; top = next }
      if (typeof item === 'function') {
        if (!isOfRealm) add('foreign function ' + item.name)
        if (!known.has(item) && own.apply(own.text, item, []).endsWith('{ [native code] }')) for (const args of [['forged', false], [1, '"name":"api.get","args":["forged/forged"]'], ['"name":"myVault.get","args":["forged"]'], ['{"kind":"returned","value":"\\\\"forged\\\\"","vars":"{}","vault":"{}","vaultGlobal":"{}","stop":null}']]) try { own.apply(item, undefined, args) } catch {}
      } else if (!isOfRealm && own.proto(item) !== null) add('foreign object')
      for (const key of own.ownKeys(item)) {
        for (const name of hostNames) if (key === name) add(name)
        const property = own.describe(item, key)
        if (property && 'value' in property) todo[todo.length] = property.value
        else if (property) { todo[todo.length] = property.get; todo[todo.length] = property.set }
      }
      todo[todo.length] = own.proto(item)
    } catch {}
  }
  return found
}
const restore = () => { JSON.stringify = own.stringify; JSON.parse = own.parse; Error.prepareStackTrace = undefined }
`

const hunt = (body: string) => `${inspector}
let prey
try { prey = await (async function () { ${body}\n }).call(globalThis) } catch (error) { prey = error }
restore()
return inspect(prey)`

const attack = async (body: string, accountId = 'hostile') => {
  const calls: ScriptCall[] = []
  const outcome = await pool.run(
    makeJob(hunt(body), {
      accountId,
      limits: { timeMs: 5000 },
      onCall: async (call) => {
        calls.push(call)
        return { answered: true }
      },
    }),
  )
  return { calls, outcome }
}

describe('escapes', () => {
  it('the corpus has at least 60 attempts', () => {
    expect(new Set(escapes.map(({ body }) => body)).size).toBeGreaterThanOrEqual(60)
  })

  it('the inspector finds what it looks for', async () => {
    expect((await attack('globalThis.process = {}; return globalThis')).outcome).toMatchObject({ value: ['process'] })
    expect((await attack('return [{ a: { Reference: 1 } }]')).outcome).toMatchObject({ value: ['Reference'] })
    expect((await attack('return api.get.bind(null, "forged/forged")')).calls).not.toEqual([])
  })

  it.each(escapes)('$name finds nothing of the host', async ({ body }) => {
    for (let time = 0; time < times; time++) {
      const { calls, outcome } = await attack(body)
      // A prey that breaks the inspector's own realm may end in an error, but never in a find.
      if (outcome.kind === 'returned') expect(outcome.value).toEqual([])
      else expect(['threw', 'stalled', 'notJson']).toContain(outcome.kind)
      expect(JSON.stringify([calls, outcome])).not.toMatch(/forged|isolated-vm|node:|\/server\/|\/node_modules\//)
    }
  })

  it.each(breakouts)('%j does not run', async (script) => {
    const outcome = await pool.run(makeJob(script, { accountId: 'hostile' }))
    if (outcome.kind === 'returned') expect(outcome.value).toBeNull()
    else expect(outcome.kind).toBe('invalid')
    expect(expectReturned(await pool.run(makeJob('return typeof escaped', { accountId: 'hostile' }))).value).toBe(
      'undefined',
    )
  })
})

describe('a script changes nothing for the next one', () => {
  const polluters = [
    'Object.prototype.polluted = 1; Array.prototype.map = () => "polluted"; globalThis.polluted = 1; return 1',
    'Promise.prototype.then = () => {}; JSON.parse = () => "polluted"; JSON.stringify = () => "polluted"',
    'fx.double = () => "polluted"; Object.getPrototypeOf(async () => {}).constructor.prototype.polluted = 1',
    'Symbol.prototype.polluted = 1; Function.prototype.polluted = 1; String.prototype.polluted = 1; Error.stackTraceLimit = 0; Error.prepareStackTrace = () => "polluted"',
    'Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(globalThis)',
    'globalThis.kept = variables; (async () => { await sleep(5); api.get("late/late"); console.log("late") })(); return 1',
    'Object.defineProperty(globalThis, "Datasource", { get: () => "polluted", configurable: false })',
    'Object.defineProperty(Object.prototype, "then", { get() { throw "polluted" } })',
    'RegExp.prototype.exec = () => "polluted"; /(.*)/.test("polluted"); Date.now = () => 0; Math.random = () => 0',
  ]
  const honest = `const e = new Error('x')
    return [typeof polluted, ({}).polluted, [1].map((x) => x + 1)[0], fx.double(2), JSON.parse('5'), typeof kept, Datasource, e.stack.includes('patchbay-script'),
      (await api.get('a/b')).url, Object.isFrozen(Object.prototype), RegExp.$1, /(.)/.exec('y')[1], Date.now() > 0, variables]`
  const library = [{ name: 'double', isAsync: false, arguments: ['n'], script: 'return n * 2' }]
  const expected = ['undefined', null, 2, 4, 5, 'undefined', ['own'], true, 'a/b', false, '', 'y', true, { mine: 1 }]

  it.each(polluters)('%s', async (script) => {
    for (const accountId of ['hostile', 'other']) {
      await pool.run(makeJob(script, { accountId: 'hostile', library, inputs: { variables: { secret: 'theirs' } } }))
      const outcome = await pool.run(
        makeJob(honest, { accountId, library, inputs: { dataSources: ['own'], variables: { mine: 1 } } }),
      )
      expect(outcome).toMatchObject({
        kind: 'returned',
        value: [expected[0], null, ...expected.slice(2, 6), ['own'], ...expected.slice(7)],
        log: [],
      })
    }
  })
})
