/**
 * Ways out of sandboxes that are publicly known (vm2, node:vm, isolated-vm misuse, n8n, SandboxJS, NocoBase and the like), each
 * as a body that returns its prey: a function, an object or a list of them that should belong to the host.
 */
export const escapes: { name: string; body: string }[] = [
  // Constructor chains.
  { name: 'this.constructor.constructor', body: 'return this.constructor.constructor' },
  { name: 'globalThis.constructor.constructor', body: 'return globalThis.constructor.constructor("return this")()' },
  { name: 'array constructor chain', body: 'return [].filter.constructor("return this")()' },
  { name: 'async function constructor', body: 'return (async () => {}).constructor("return this")()' },
  { name: 'generator constructor', body: 'return (function* () {}).constructor("return this")().next().value' },
  {
    name: 'async generator constructor',
    body: 'return (await (async function* () {}).constructor("return this")().next()).value',
  },
  {
    name: 'constructors of all given functions',
    body: 'return [api.get, api.post, api.send, myVault.get, myVault.set, email.send, sleep, console.log, logger.log, fx.stopAfterThisBlock, getVariables].map((f) => f.constructor)',
  },
  {
    name: 'prototypes of all given objects',
    body: 'return [api, myVault, email, session, console, logger, fx, variables, Datasource, run].map((o) => o && Object.getPrototypeOf(o))',
  },
  { name: 'console as a host object', body: 'return console._stdout || console.log.constructor("return process")' },
  {
    name: 'console.constructor chain',
    body: 'return console.constructor.constructor("return typeof process !== \'undefined\' && process")()',
  },
  { name: 'indirect eval', body: 'return (0, eval)("this")' },
  { name: 'Function with this', body: 'return Function("return this")()' },
  { name: 'Function with arguments.callee.caller', body: 'return Function("return arguments.callee.caller")()' },
  {
    name: 'caller of a sloppy function in a getter',
    body: 'let seen; function f() { seen = f.caller } ; api.get({ toJSON: f }); return seen',
  },
  {
    name: 'arguments of a sloppy caller',
    body: 'let seen; function f() { seen = f.caller && f.caller.arguments } ; console.log({ toJSON: f }); return seen',
  },
  { name: 'bound function target', body: 'return Function.prototype.bind.call(api.get, null).constructor' },
  {
    name: 'new.target through Reflect.construct',
    body: 'return Reflect.construct(Function, ["return this"], class extends Function {})()',
  },
  { name: 'template literal constructor', body: 'return (`x`).constructor.constructor("return this")()' },
  {
    name: 'with statement',
    body: 'return Function("with ({ get constructor() { return this } }) { return constructor.constructor.constructor }")()',
  },
  {
    name: 'with on a proxy that has everything',
    body: 'const seen = []; Function("p", "with (p) { require; process; module }")(new Proxy({}, { has: (t, k) => { seen.push(k); return false } })); return seen',
  },
  {
    name: 'class static block',
    body: 'return class { static x; static { this.x = this.constructor.constructor("return this")() } }.x',
  },
  { name: 'class field initialiser', body: 'return new (class { x = Function("return this")() })().x' },
  { name: 'default parameter', body: 'return ((a = Function("return this")()) => a)()' },
  { name: 'tagged template with Function', body: 'return Function`return this``` ' },
  {
    name: 'optional catch and constructor of error',
    body: 'try { null.x } catch (e) { return e.constructor.constructor("return this")() }',
  },
  // Errors and stack traces.
  {
    name: 'Error.prepareStackTrace call sites',
    body: 'Error.prepareStackTrace = (e, s) => s; const sites = new Error().stack; return sites.flatMap((s) => [s, s.getThis(), s.getFunction(), s.getEvalOrigin(), s.getTypeName()])',
  },
  {
    name: 'call sites inside toJSON',
    body: 'let sites; Error.prepareStackTrace = (e, s) => s; console.log({ toJSON() { sites = new Error().stack } }); return sites.flatMap((s) => [s.getThis(), s.getFunction()])',
  },
  {
    name: 'call sites inside a call',
    body: 'let sites; Error.prepareStackTrace = (e, s) => s; await api.post("a/b", { toJSON() { sites = new Error().stack } }); return sites.flatMap((s) => [s.getThis(), s.getFunction()])',
  },
  {
    name: 'error of a refused call',
    body: 'try { await api.get(5) } catch (e) { return [e, e.constructor, e.cause, Object.getPrototypeOf(e)] }',
  },
  {
    name: 'error of a refused synchronous call',
    body: 'try { myVault.get(5) } catch (e) { return [e, e.constructor, e.constructor.constructor, e.stack] }',
  },
  {
    name: 'stack overflow error from the host',
    body: 'let seen; const f = () => { try { f() } catch (e) { seen = e; myVault.get("k") } }; try { f() } catch (e) { return [seen, e, e.constructor] }',
  },
  {
    name: 'stack overflow at every depth of a call',
    body: 'const seen = []; const f = (n) => { if (n > 0) return f(n - 1); try { api.get("a/b") } catch (e) { seen.push(e) } }; for (let n = 6000; n < 14000; n += 400) try { f(n) } catch (e) { seen.push(e) } return seen',
  },
  {
    name: 'stack overflow in a synchronous call',
    body: 'const seen = []; const f = (n) => { if (n > 0) return f(n - 1); try { seen.push(myVault.get("k")) } catch (e) { seen.push(e) } }; for (let n = 6000; n < 14000; n += 400) try { f(n) } catch (e) { seen.push(e) } return seen',
  },
  {
    name: 'Error.captureStackTrace on given objects',
    body: 'Error.captureStackTrace(api); Error.captureStackTrace(session, api.get); return [api.stack, session.stack]',
  },
  {
    name: 'error with a hostile name symbol',
    body: 'const e = new Error(); e.name = Symbol(); try { e.stack } catch (x) { return [x, x.constructor] }',
  },
  {
    name: 'SuppressedError and disposal',
    body: 'try { { using a = { [Symbol.dispose]() { throw api } }; throw console } } catch (e) { return [e.error, e.suppressed, e.constructor] }',
  },
  // Promises.
  {
    name: 'promise species',
    body: 'const seen = []; class P extends Promise { static get [Symbol.species]() { return function (f) { seen.push(f); f((...a) => seen.push(...a), (...a) => seen.push(...a)) } } } const p = api.get("a/b"); Object.setPrototypeOf(p, P.prototype); p.then(() => {}); await sleep(1); return seen',
  },
  {
    name: 'Promise.prototype.then replaced',
    body: 'const seen = []; const { then } = Promise.prototype; Promise.prototype.then = function (...a) { seen.push(this, ...a); return then.apply(this, a) }; await api.get("a/b"); await sleep(1); return seen',
  },
  {
    name: 'Promise replaced',
    body: 'const seen = []; globalThis.Promise = function (f) { seen.push(f); f((...a) => seen.push(...a), () => {}) }; const p = api.get("a/b"); return [p, p.constructor, seen]',
  },
  {
    name: 'Promise.prototype.constructor replaced',
    body: 'const seen = []; Promise.prototype.constructor = class { constructor(f) { seen.push(f) } static [Symbol.species] = this }; await api.get("a/b"); return seen',
  },
  {
    name: 'thenable on Object.prototype',
    body: 'const seen = []; Object.prototype.then = function (...a) { seen.push(this, ...a); delete Object.prototype.then; a[0](1) }; await api.get("a/b"); return seen',
  },
  {
    name: 'unhandled rejection with a hostile value',
    body: 'Promise.reject(new Proxy({}, { get(t, k, r) { throw r } })); await sleep(1); return []',
  },
  {
    name: 'await of a hostile thenable',
    body: 'let seen; await { then(a, b) { seen = [a, b, a.constructor, arguments.callee.caller]; a() } }; return seen',
  },
  // Tampering with what the bootstrap uses.
  {
    name: 'JSON replaced',
    body: 'const seen = []; JSON.stringify = (...a) => { seen.push(...a); return "{}" }; JSON.parse = (...a) => { seen.push(...a); return {} }; await api.get("a/b"); console.log({}); myVault.get("k"); return seen',
  },
  {
    name: 'toJSON on all prototypes',
    body: 'const seen = []; for (const P of [Object, Array, String, Number, Boolean, Function]) P.prototype.toJSON = function (...a) { seen.push(this, ...a); return 1 }; await api.get("a/b"); myVault.get("k"); for (const P of [Object, Array, String, Number, Boolean, Function]) delete P.prototype.toJSON; return seen',
  },
  {
    name: 'Array.prototype replaced',
    body: 'const seen = []; const n = () => seen.length; for (const k of Object.getOwnPropertyNames(Array.prototype)) { const o = Array.prototype[k]; if (typeof o === "function" && k !== "constructor") Array.prototype[k] = function (...a) { seen[n()] = this; for (let i = 0; i < a.length; i++) seen[n()] = a[i]; return Reflect.apply(o, this, a) } } await api.get("a/b"); myVault.get("k"); console.log(1); return [...seen]',
  },
  {
    name: 'setters on array indexes',
    body: 'const seen = []; for (let i = 0; i < 10; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set(v) { seen.push = seen.push; Object.defineProperty(this, i, { value: v, writable: true, configurable: true, enumerable: true }); (globalThis.loot ??= new Set()).add(v).add(this) } }); await api.get("a/b"); myVault.get("k"); console.log(1); for (let i = 0; i < 10; i++) delete Array.prototype[i]; return [...(globalThis.loot ?? [])]',
  },
  {
    name: 'iterator replaced',
    body: 'const seen = []; const it = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function () { Reflect.apply(Array.prototype.push, seen, [this]); return Reflect.apply(it, this, []) }; await api.get("a/b"); console.log(1, 2); myVault.get("k"); Array.prototype[Symbol.iterator] = it; return seen',
  },
  {
    name: 'Function.prototype.call and apply replaced',
    body: 'const seen = []; for (const k of ["call", "apply", "bind", Symbol.hasInstance]) try { const o = Function.prototype[k]; Function.prototype[k] = function (...a) { seen.push(this, ...a); return Reflect.apply(o, this, a) } } catch {} await api.get("a/b"); myVault.get("k"); console.log(new Error()); return seen',
  },
  {
    name: 'Reflect replaced',
    body: 'const seen = []; for (const k of Reflect.ownKeys(Reflect)) if (typeof Reflect[k] === "function") { const o = Reflect[k]; Reflect[k] = (...a) => { seen.push(...a); return o(...a) } } await api.get("a/b"); myVault.get("k"); return seen',
  },
  {
    name: 'Object functions replaced',
    body: 'const seen = []; for (const k of ["assign", "create", "defineProperty", "keys", "entries", "freeze"]) { const o = Object[k]; Object[k] = (...a) => { seen.push(...a); return o(...a) } } await api.get("a/b"); myVault.get("k"); return seen',
  },
  {
    name: 'String.prototype replaced',
    body: 'const seen = []; for (const k of ["slice", "replace", "split", "concat", "toString", "valueOf"]) { const o = String.prototype[k]; String.prototype[k] = function (...a) { seen.push(this, ...a); return Reflect.apply(o, this, a) } } await api.get("a/b"); myVault.get("k"); console.log("x"); return seen',
  },
  {
    name: 'setters on Object.prototype',
    body: 'const seen = []; for (const k of ["resolve", "reject", "next", "text", "call", "value", "get", "set", "writable", "isSleep", "message", "details", "name", "stack"]) Object.defineProperty(Object.prototype, k, { configurable: true, set(v) { seen.push(this, v) }, get() { seen.push(this) } }); try { await api.get("a/b"); myVault.get("k"); await api.get(5) } catch (e) { seen.push(e) } for (const k of ["resolve", "reject", "next", "text", "call", "value", "get", "set", "writable", "isSleep", "message", "details", "name", "stack"]) delete Object.prototype[k]; return seen',
  },
  {
    name: 'globals replaced by getters',
    body: 'const seen = []; for (const k of ["String", "Error", "Object", "Array", "Promise", "JSON", "Reflect"]) { const o = globalThis[k]; Object.defineProperty(globalThis, k, { configurable: true, get() { seen.push(new o.constructor("return this")) ; return o } }) } await api.get("a/b"); return seen',
  },
  {
    name: 'Error replaced',
    body: 'const seen = []; globalThis.Error = function (...a) { seen.push(this, ...a, new.target) }; try { await api.get(5) } catch (e) { seen.push(e, e.constructor) } return seen',
  },
  {
    name: 'Symbol.toPrimitive argument',
    body: 'const seen = []; try { await api.get({ [Symbol.toPrimitive](...a) { seen.push(this, ...a); return "a/b" } }) } catch (e) { seen.push(e) } return seen',
  },
  {
    name: 'sleep with a hostile number',
    body: 'const seen = []; await sleep({ valueOf(...a) { seen.push(this, ...a); return 1 } }); return seen',
  },
  {
    name: 'key with a hostile toString',
    body: 'const seen = []; myVault.setOnComplete({ toString(...a) { seen.push(this, ...a); return "k" } }, 1); return seen',
  },
  {
    name: 'RegExp and Symbol hooks',
    body: 'const seen = []; for (const s of ["match", "replace", "search", "split"]) RegExp.prototype[Symbol[s]] = function (...a) { seen.push(this, ...a); return "" }; await api.get("a/b"); myVault.get("k"); return seen',
  },
  {
    name: 'Symbol.unscopables and isConcatSpreadable',
    body: 'const seen = []; Array.prototype[Symbol.isConcatSpreadable] = true; Object.defineProperty(Object.prototype, Symbol.unscopables, { configurable: true, get() { seen.push(this) } }); await api.get("a/b"); delete Object.prototype[Symbol.unscopables]; return seen',
  },
  {
    name: 'array species',
    body: 'const seen = []; Array[Symbol.species] = class { constructor(...a) { seen.push(this, ...a) } }; Object.defineProperty(Array, Symbol.species, { value: class { constructor() { seen.push(this) } } }); console.log(1); await api.get("a/b"); return seen',
  },
  // Proxies and reflection.
  {
    name: 'proxy around the global',
    body: 'const seen = []; Object.setPrototypeOf(globalThis, new Proxy({}, { get(t, k, r) { seen.push(r); return undefined }, has() { return false } })); try { await api.get("a/b") } catch (e) { seen.push(e) } return seen',
  },
  {
    name: 'proxy traps of an argument',
    body: 'const seen = []; const h = new Proxy({}, { get: (t, k) => (...a) => { seen.push(...a); return Reflect[k](...a) } }); await api.post("a/b", new Proxy({ a: 1 }, h)); myVault.set("k", new Proxy([1], h)); return seen',
  },
  {
    name: 'proxy thrown through a call',
    body: 'const p = new Proxy(function () {}, { get(t, k, r) { throw r } }); try { await api.post("a/b", { toJSON() { throw p } }) } catch (e) { return [e] }',
  },
  {
    name: 'revoked proxy',
    body: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); try { await api.post("a/b", proxy) } catch (e) { return [e, e.constructor] }',
  },
  {
    name: '__proto__ of everything given',
    body: 'return [api.__proto__.__proto__, myVault.get.__proto__.__proto__, session.__proto__, console.log.__proto__]',
  },
  {
    name: '__lookupGetter__ and __defineGetter__',
    body: 'return [Object.prototype.__lookupGetter__("__proto__"), Object.prototype.__defineGetter__.constructor]',
  },
  {
    name: 'every own key of every given thing',
    body: 'const seen = []; for (const o of [api, myVault, email, session, console, logger, fx, sleep, getVariables]) for (const k of Reflect.ownKeys(o)) seen.push(Object.getOwnPropertyDescriptor(o, k)); return seen',
  },
  { name: 'global names, hidden ones too', body: 'return Reflect.ownKeys(globalThis).map((k) => globalThis[k])' },
  {
    name: 'given functions as constructors',
    body: 'const seen = []; for (const f of [api.get, myVault.get, sleep, console.log]) try { seen.push(new f("a/b")) } catch (e) { seen.push(e) } return seen',
  },
  {
    name: 'given functions with other this values',
    body: 'return [Reflect.apply(api.get, globalThis, ["a/b"]), Reflect.apply(myVault.get, null, ["k"]), Reflect.apply(console.log, { log: 1 }, [1])]',
  },
  // Modules, processes, memory.
  { name: 'dynamic import of fs', body: 'return await import("fs")' },
  { name: 'dynamic import of node:process', body: 'return await import("node:process")' },
  { name: 'dynamic import from Function', body: 'return await Function("return import(\'node:fs\')")()' },
  { name: 'dynamic import of a data address', body: 'return await import("data:text/javascript,export default this")' },
  { name: 'import.meta', body: 'return Function("return import.meta")()' },
  { name: 'process.binding', body: 'return process.binding("fs")' },
  { name: 'process.mainModule.require', body: 'return process.mainModule.require("child_process")' },
  { name: 'require from a global', body: 'return globalThis.require || globalThis.module || globalThis.exports' },
  {
    name: 'isolated-vm objects by name',
    body: 'return [globalThis.ivm, globalThis.Reference, globalThis.Isolate, globalThis._ivm, globalThis.$0, globalThis.$1]',
  },
  {
    name: 'WebAssembly through a realm function',
    body: 'return Function("return typeof WebAssembly === \'undefined\' ? [] : WebAssembly")()',
  },
  {
    name: 'SharedArrayBuffer through a typed array',
    body: 'return Object.getPrototypeOf(Int8Array).prototype.constructor',
  },
  {
    name: 'transferred array buffer as argument',
    body: 'const b = new ArrayBuffer(8); await api.post("a/b", b); myVault.set("k", new Uint8Array(b)); return [b]',
  },
  { name: 'ShadowRealm', body: 'return new ShadowRealm().evaluate("globalThis.constructor")' },
  {
    name: 'Atomics and waitAsync',
    body: 'return [globalThis.Atomics, Function("return typeof Atomics === \'object\' && Atomics")()].filter(Boolean)',
  },
  { name: 'finalizers', body: 'return [globalThis.FinalizationRegistry, globalThis.WeakRef].filter(Boolean)' },
  { name: 'V8 natives syntax', body: 'return Function("return %DebugPrint(1)")()' },
  {
    name: 'gc and debug shells',
    body: 'return [globalThis.gc, globalThis.print, globalThis.load, globalThis.read, globalThis.d8, globalThis.quit, globalThis.Worker, globalThis.os].filter(Boolean)',
  },
  {
    name: 'inspector console methods',
    body: 'return [console.context, console.profile, console.createTask].filter(Boolean)',
  },
  {
    name: 'Intl and Date hooks',
    body: 'return [Intl.constructor.constructor("return this")(), new Date().constructor.constructor("return this")()]',
  },
]

/** Texts that are not a function body; one that were accepted would run outside of the script's function. */
export const breakouts: string[] = [
  '}); globalThis.escaped = 1; (function () {',
  '}, globalThis.escaped = 1, async function () {',
  '}\nglobalThis.escaped = 1\n{',
  '})(), (async () => { globalThis.escaped = 1',
  '*/ } globalThis.escaped = 1; { /*',
  '`}); globalThis.escaped = 1; (() => {`',
  '\u2028}); globalThis.escaped = 1; (function () {',
  'return 1\n})\n//',
  '} catch {} globalThis.escaped = 1; try {',
  '<!-- \n}); globalThis.escaped = 1 -->',
]
