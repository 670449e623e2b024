import type { Attach, Dispatch, Watch } from './dispatch.ts'
import type { exposeNamesOf, Inputs } from './expose-names.ts'
import type { makeCallTexts } from './make-call-texts.ts'
import type { makeCalls } from './make-calls.ts'
import type { makeClock } from './make-clock.ts'
import type { makeEnds } from './make-ends.ts'
import type { makeLog } from './make-log.ts'
import type { provideNames, RealmState, Session } from './provide-names.ts'
import type { Host, takeBuiltins } from './take-builtins.ts'
import type { watchRealm } from './watch-realm.ts'

/**
 * The first code in every realm. It runs once, before the snapshot that all realms are made from; what differs between realms comes by the
 * function it returns. Its text is compiled inside the isolate, so it can use nothing from this module; its parts are handed to it as texts
 * of the same kind (see compose-bootstrap.ts).
 *
 *     attached ──▶ empty ── start ──▶ running ── settle, for each answer ──▶ finished
 *                    ▲                                                          │
 *                    └───────────── tidy, when it left the realm as it was ─────┘
 *
 * The script that runs afterwards owns the realm: it may replace every built-in. Three rules keep the four host functions
 * out of its hands and this code working: built-ins are taken before the script starts; own bookkeeping lives in objects
 * without prototype, or in those that have every field from the beginning; only primitive strings and numbers are handed to a host function.
 * It is compiled in strict mode, which keeps `caller`, `arguments` and the call sites of stack traces from giving away its functions.
 */

export type BootstrapParts = {
  takeBuiltins: typeof takeBuiltins
  makeLog: typeof makeLog
  makeCallTexts: typeof makeCallTexts
  makeCalls: typeof makeCalls
  makeClock: typeof makeClock
  makeEnds: typeof makeEnds
  provideNames: typeof provideNames
  exposeNamesOf: typeof exposeNamesOf
  watchRealm: ReturnType<typeof watchRealm>
}

export type BootstrapSettings = { ownName: string; atOnce: { calls: number; sleeps: number } }

export function bootstrap(parts: BootstrapParts, { ownName, atOnce }: BootstrapSettings): Attach {
  const builtins = parts.takeBuiltins()
  const { realm, apply, assign, create, deleteProperty, parse, then, AsyncFunction } = builtins
  // Shared memory and WebAssembly serve timing attacks and have had most of the engine's holes; finalizers would let a
  // script run again while a later one has the isolate.
  const unwanted = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef']
  const notAttached = (): never => {
    throw new TypeError('This realm has no host.')
  }
  const host: Host = {
    ...{ log: notAttached, call: notAttached, ask: notAttached, finish: notAttached },
    ...{ resultBytesMax: 0, logBytesMax: 0, callBytesMax: 0 },
  }
  const noSession = (): Session => create(null) as Session
  const state: RealmState = { session: noSession(), variables: null, stop: null }
  const { log, format, reset } = parts.makeLog(builtins, host)
  const calls = parts.makeCalls(builtins, host, parts.makeCallTexts(builtins, host), atOnce)
  const clock = parts.makeClock(builtins)
  const provided = parts.provideNames(builtins, state, assign({}, calls, { request: clock.follow(calls.request) }), log)
  const { exposeNames, giveInputs } = parts.exposeNamesOf(builtins, state, provided, calls.ask)
  const { finishReturned, finishThrown } = parts.makeEnds(builtins, host, format, state)
  exposeNames()
  const watch = parts.watchRealm(provided)
  const noInputs: Inputs = { dataSources: null, variables: null, webhook: null, dateLastRun: null, run: null }
  let isWatchedDeep = false

  /** What a script was given must not fill the memory while its realm waits. */
  const tidy = (): boolean => {
    reset()
    calls.forgetAll()
    state.stop = null
    state.session = noSession()
    // A script that can define properties may have put others in the place of these.
    if (isWatchedDeep) exposeNames()
    giveInputs(noInputs)
    return watch.restore(isWatchedDeep)
  }
  const start = (script: string, inputsText: string, closeness: Watch): void => {
    let run: () => Promise<unknown>
    if (closeness !== 'none') {
      isWatchedDeep = closeness === 'deep'
      if (isWatchedDeep) watch.countHidden()
    }
    const inputs = parse(inputsText) as Inputs & { session: Session; clockMs?: number }
    if (typeof inputs.clockMs === 'number') clock.set(inputs.clockMs)
    state.session = assign(noSession(), inputs.session)
    giveInputs(inputs)
    try {
      // The constructor parses the text as a function body by itself, so no text can close the function and go on outside.
      run = AsyncFunction(`${script}\n//# sourceURL=patchbay-script`)
    } catch {
      host.finish('{"kind":"invalid"}')
      return
    }
    apply(then, run(), [
      (value: unknown) => calls.afterCalls(() => finishReturned(value)),
      (error: unknown) => calls.afterCalls(() => finishThrown(error)),
    ])
  }
  const dispatch: Dispatch = (action, first, second, third) => {
    if (action === 'tidy') return tidy()
    if (action === 'start') start(first as string, second as string, third as Watch)
    else calls.settle(first as number, second as boolean, third as string)
    return true
  }
  return (...given) => {
    const [hostLog, call, ask, finish, resultBytesMax, logBytesMax, callBytesMax] = given
    assign(host, { log: hostLog, call, ask, finish, resultBytesMax, logBytesMax, callBytesMax })
    reset()
    for (let i = 0; i < unwanted.length; i++) deleteProperty(realm, unwanted[i] as string)
    deleteProperty(realm, ownName)
    watch.complete()
    return dispatch
  }
}
