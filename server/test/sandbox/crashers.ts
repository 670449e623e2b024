/** Scripts that take down, hang or flood a naive host. Each must end by itself or be ended, in words, and hurt nobody else. */
export const crashers: { name: string; script: string }[] = [
  { name: 'Map filled in a loop', script: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, [i, i])' },
  { name: 'Set of strings', script: 'const s = new Set(); for (let i = 0; ; i++) s.add("key" + i)' },
  { name: 'array of arrays', script: 'const a = []; for (;;) a.push({ x: new Array(1000).fill(1.5) })' },
  { name: 'one huge array', script: 'return new Array(6e7).fill(0).length' },
  { name: 'huge typed arrays', script: 'const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))' },
  {
    name: 'growing array buffer',
    script:
      'const b = new ArrayBuffer(1, { maxByteLength: 4e9 }); for (let n = 1; ; n *= 2) { b.resize(n); new Uint8Array(b).fill(1) }',
  },
  { name: 'BigInt squaring', script: 'let b = 3n; for (;;) b = b * b' },
  { name: 'BigInt power', script: 'return String(7n ** 20000000n).length' },
  { name: 'BigInt to string', script: 'return ((1n << 30000000n) - 1n).toString().length' },
  { name: 'promise that never settles', script: 'await new Promise(() => {})' },
  { name: 'catastrophic regular expression', script: 'return /^(a+)+$/.test("a".repeat(40) + "b")' },
  { name: 'regular expression in replace', script: 'return "x".repeat(5e5).replace(/(x+x+)+y/g, "")' },
  { name: 'microtask storm', script: 'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})' },
  {
    name: 'microtask storm with memory',
    script: 'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f()',
  },
  { name: 'busy loop', script: 'for (;;);' },
  { name: 'async generator for ever', script: 'async function* g() { for (;;) yield 1 } for await (const x of g());' },
  { name: 'strings doubled', script: 'let s = "x"; const a = []; for (;;) { s += s; a.push(s.slice(1)) }' },
  { name: 'string flattened', script: 'const s = "x".repeat(5e8); return /y/.test(s + "z")' },
  { name: 'padding', script: 'const a = []; for (;;) a.push("".padStart(1e8, "ab").split("a"))' },
  { name: 'recursion', script: 'const f = (n) => f(n + 1) + 1; return f(0)' },
  { name: 'recursion that catches', script: 'const f = () => { try { f() } finally { f() } }; f()' },
  { name: 'recursive toString', script: 'const o = { toString() { return "" + o } }; return "" + o' },
  { name: 'getter on the result that never returns', script: 'return { get a() { for (;;); } }' },
  {
    name: 'getter on the result that fills memory',
    script: 'return { get a() { const m = new Map(); for (let i = 0; ; i++) m.set(i, [i]) } }',
  },
  { name: 'toJSON that returns itself anew', script: 'const f = () => ({ a: { toJSON: f } }); return f()' },
  {
    name: 'proxy without end',
    script:
      'const p = () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: p(), enumerable: true, configurable: true }), get: () => p() }); return p()',
  },
  {
    name: 'proxy with endless length',
    script: 'return new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 32 : 1) })',
  },
  { name: 'deep nesting', script: 'let v = []; for (let i = 0; i < 5e6; i++) v = [v]; return v' },
  { name: 'JSON bomb as result', script: 'let v = "xxxxxxxxxx"; for (let i = 0; i < 40; i++) v = [v, v]; return v' },
  { name: 'deep JSON text', script: 'return JSON.parse("[".repeat(2e6) + "]".repeat(2e6))' },
  { name: 'log flood', script: 'for (;;) console.log("x".repeat(1000))' },
  {
    name: 'log of a huge object',
    script: 'let v = "xxxxxxxxxx"; for (let i = 0; i < 40; i++) v = [v, v]; console.log(v)',
  },
  { name: 'call flood', script: 'for (;;) api.get("a/b")' },
  { name: 'sleep flood', script: 'for (;;) sleep(1)' },
  { name: 'synchronous call flood', script: 'for (;;) myVault.get("k")' },
  { name: 'huge arguments of a call', script: 'for (;;) try { api.post("a/b", "x".repeat(8e6)) } catch {}' },
  {
    name: 'sort that never agrees',
    script: 'for (;;) new Array(1e5).fill(0).map(Math.random).sort(() => Math.random() - 0.5)',
  },
  {
    name: 'species without end',
    script:
      'class A extends Array { static get [Symbol.species]() { return function () { for (;;); } } } return A.from([1]).map((x) => x)',
  },
  {
    name: 'Intl loop',
    script:
      'const a = []; for (;;) a.push(new Intl.DateTimeFormat("de", { dateStyle: "full" }), new Intl.Collator("sv"))',
  },
  {
    name: 'code that writes code',
    script: 'const a = []; for (let i = 0; ; i++) a.push(new Function("return " + i + "+1".repeat(1e4)))',
  },
  { name: 'error thrown with endless message', script: 'throw new Error("x".repeat(5e8))' },
  { name: 'thenable without end', script: 'const t = { then(f) { f(t) } }; return t' },
]
