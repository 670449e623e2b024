import type { Dispatch, HostFunctions, Watch } from './dispatch.ts'
import { watchRealm } from './realm-watch.ts'

/**
 * The first code in every realm. It runs once, before the snapshot that all realms are made from; what differs between realms comes by the
 * function it returns. Its text is compiled inside the isolate, so it can use nothing from this module; `watchRealm` is handed to it as text
 * of the same kind.
 *
 * The script that runs afterwards owns the realm: it may replace every built-in. Three rules keep the four host functions
 * out of its hands and this code working: built-ins are taken before the script starts; own bookkeeping lives in objects
 * without prototype; only primitive strings and numbers are handed to a host function. It is compiled in strict mode, which
 * keeps `caller`, `arguments` and the call sites of stack traces from giving away its functions.
 */

type Waiting = {
  call: number
  text: string
  isSleep: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
  next: Waiting | null
}

/** Joins a realm to its host and removes the name under which this function was found. */
export type Attach = (
  log: HostFunctions['log'],
  call: HostFunctions['call'],
  ask: HostFunctions['ask'],
  finish: HostFunctions['finish'],
  resultBytesMax: number,
  logBytesMax: number,
  callBytesMax: number,
  callsAtOnce: number,
  sleepsAtOnce: number,
) => Dispatch

export function bootstrap(ownName: string): Attach {
  let hostLog: HostFunctions['log']
  let hostCall: HostFunctions['call']
  let hostAsk: HostFunctions['ask']
  let hostFinish: HostFunctions['finish']
  let resultBytesMax = 0
  let logBytesMax = 0
  let callBytesMax = 0
  let callsAtOnce = 0
  let sleepsAtOnce = 0
  const realm = globalThis as unknown as { [name: string]: unknown }
  const { parse, stringify } = JSON
  const { apply, deleteProperty } = Reflect
  const { defineProperty, create, assign, freeze } = Object
  const isFiniteNumber = Number.isFinite
  const { then } = Promise.prototype
  const { slice } = String.prototype
  const PromiseOfRealm = Promise
  const ErrorOfRealm = Error
  const StringOfRealm = String
  const AsyncFunction = (async () => {}).constructor as (body: string) => () => Promise<unknown>

  // Shared memory and WebAssembly serve timing attacks and have had most of the engine's holes; finalizers would let a
  // script run again while a later one has the isolate.
  const unwanted = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef']
  const makeLibrary = realm['fx'] as () => object
  deleteProperty(realm, 'fx')

  const expose = (target: object, name: string, value: unknown): void => {
    const property = create(null)
    property.value = value
    property.writable = true
    property.enumerable = target !== realm
    property.configurable = true
    defineProperty(target, name, property)
  }
  const cut = (text: string, length: number): string => (text.length <= length ? text : apply(slice, text, [0, length]))
  const jsonOf = (value: unknown): string => stringify(value) ?? 'null'

  let logLeft = 0
  const format = (value: unknown): string => {
    if (typeof value === 'string') return value === '' ? 'null' : value
    if (typeof value === 'number') return isFiniteNumber(value) ? `${value}` : 'null'
    if (typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
    if (value === undefined || value === null || typeof value === 'symbol') return 'null'
    try {
      return value instanceof ErrorOfRealm ? StringOfRealm(value) : jsonOf(value)
    } catch {
      return '(a value that cannot be written as JSON)'
    }
  }
  const log = (...values: unknown[]): void => {
    if (logLeft <= 0) return
    let line = values.length === 0 ? 'null' : ''
    for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + format(values[i])
    const isCut = line.length >= logLeft
    // Some more than the limit goes out: the service hides secrets first and cuts afterwards.
    line = cut(line, logLeft + 65_536)
    logLeft = isCut ? 0 : logLeft - line.length - 1
    hostLog(line, isCut)
  }

  const errorFrom = (text: string): Error => {
    const { message, details } = parse(text) as { message: string; details: object }
    return assign(new ErrorOfRealm(message), details)
  }
  const callText = (name: string, values: unknown[]): string => {
    let text = ''
    for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : ',') + jsonOf(values[i])
    if (text.length > callBytesMax) throw new ErrorOfRealm(`${name} was given more than ${callBytesMax} bytes.`)
    return `"name":${stringify(name)},"args":[${text}]`
  }
  const ask = (name: string, values: unknown[]): unknown => {
    const answer = hostAsk(callText(name, values))
    const body = apply(slice, answer, [1]) as string
    if (answer[0] !== '1') throw errorFrom(body)
    return parse(body)
  }

  let lastCall = 0
  let callsUnderWay = 0
  let sleepsUnderWay = 0
  let firstWaiting: Waiting | null = null
  let lastWaiting: Waiting | null = null
  let underWay = create(null) as { [call: number]: Waiting }
  let onSettled: (() => void) | null = null

  const sendWaiting = (): void => {
    while (firstWaiting !== null) {
      const waiting: Waiting = firstWaiting
      if (waiting.isSleep ? sleepsUnderWay >= sleepsAtOnce : callsUnderWay >= callsAtOnce) return
      firstWaiting = waiting.next
      if (firstWaiting === null) lastWaiting = null
      if (waiting.isSleep) sleepsUnderWay++
      else callsUnderWay++
      underWay[waiting.call] = waiting
      hostCall(waiting.call, waiting.text)
    }
  }
  const request = (name: string, values: unknown[], isSleep: boolean): Promise<unknown> =>
    new PromiseOfRealm((resolve, reject) => {
      const text = callText(name, values)
      const waiting = assign(create(null), { call: ++lastCall, text, isSleep, resolve, reject, next: null }) as Waiting
      if (lastWaiting === null) firstWaiting = waiting
      else lastWaiting.next = waiting
      lastWaiting = waiting
      sendWaiting()
    })
  const settle = (call: number, ok: boolean, body: string): void => {
    const waiting = underWay[call]
    if (!waiting) return
    delete underWay[call]
    if (waiting.isSleep) sleepsUnderWay--
    else callsUnderWay--
    sendWaiting()
    if (ok) waiting.resolve(parse(body))
    else waiting.reject(errorFrom(body))
    if (callsUnderWay === 0 && onSettled !== null) onSettled()
  }

  type Session = { vars: unknown; vault: { [key: string]: unknown }; vaultGlobal: { [key: string]: unknown } }
  let session = create(null) as Session
  let stop: boolean | null = null

  const defer = (values: object, key: unknown, value: unknown): void => {
    // The value as it is now counts, not what the script makes of it later.
    expose(values, StringOfRealm(key), parse(jsonOf(value)))
  }
  /** What is the same for every script; made once, because to make it takes longer than most scripts. */
  const api = {
    get: (url: unknown) => request('api.get', [url], false),
    post: (url: unknown, data: unknown) => request('api.post', [url, data], false),
    send: (shortName: unknown, options: unknown, newVersion: unknown) =>
      request('api.send', [shortName, options, newVersion], false),
  }
  const myVault = {
    get: (key: unknown) => ask('myVault.get', [key]),
    set: (key: unknown, value: unknown) => ask('myVault.set', [key, value]),
    remove: (key: unknown) => ask('myVault.remove', [key]),
    contains: (key: unknown) => ask('myVault.contains', [key]),
    setOnComplete: (key: unknown, value: unknown) => defer(session.vault, key, value),
    getGlobal: (key: unknown) => ask('myVault.getGlobal', [key]),
    setGlobal: (key: unknown, value: unknown) => ask('myVault.setGlobal', [key, value]),
    removeGlobal: (key: unknown) => ask('myVault.removeGlobal', [key]),
    containsGlobal: (key: unknown) => ask('myVault.containsGlobal', [key]),
    setGlobalOnComplete: (key: unknown, value: unknown) => defer(session.vaultGlobal, key, value),
  }
  const sleepMsMax = 3_600_000
  let variables: unknown = null
  const provided: { [name: string]: object } = {
    api,
    myVault,
    getVariables: () => variables,
    email: { send: (message: unknown) => request('email.send', [message], false) },
    sleep: (ms: unknown) => {
      if (typeof ms === 'number' && ms > sleepMsMax)
        throw new ErrorOfRealm('sleep takes at most 3600000 ms (one hour).')
      return request('sleep', [typeof ms === 'number' && ms > 0 ? ms : 0], true)
    },
    console: { log, info: log, warn: log, error: log, debug: log, dir: log, table: log, trace: log },
    logger: { log },
  }
  // The functions themselves are nobody's to write on: they stay when the block is over.
  for (const name in provided) {
    const given = provided[name] as { [name: string]: object }
    if (typeof given === 'function') freeze(given)
    else for (const member in given) freeze(given[member])
  }
  let isLibraryTouched = true
  const exposeLibrary = (): void => {
    if (!isLibraryTouched) return
    isLibraryTouched = false
    const property = create(null)
    property.configurable = true
    property.set = (value: unknown) => {
      isLibraryTouched = true
      expose(realm, 'fx', value)
    }
    property.get = () => {
      isLibraryTouched = true
      const fx = makeLibrary()
      expose(fx, 'stopAfterThisBlock', (flag: unknown) => {
        stop = !!flag
      })
      expose(fx, 'decodeText', (base64: unknown, charset: unknown) => ask('text.decode', [base64, charset]))
      expose(fx, 'encodeText', (text: unknown, charset: unknown) => ask('text.encode', [text, charset]))
      expose(realm, 'fx', fx)
      return fx
    }
    defineProperty(realm, 'fx', property)
  }
  const inputNames = ['Datasource', 'variables', 'webhook', 'dateLastRun', 'run', 'session']
  const exposeNames = (): void => {
    for (let i = 0; i < inputNames.length; i++) expose(realm, inputNames[i] as string, null)
    for (const name in provided) expose(realm, name, provided[name])
    isLibraryTouched = true
    exposeLibrary()
  }
  exposeNames()

  type Inputs = { dataSources: unknown; variables: unknown; webhook: unknown; dateLastRun: unknown; run: unknown }
  const giveInputs = (inputs: Inputs): void => {
    variables = inputs.variables
    realm['Datasource'] = inputs.dataSources
    realm['variables'] = variables
    realm['webhook'] = inputs.webhook
    realm['dateLastRun'] = inputs.dateLastRun
    realm['run'] = inputs.run
    realm['session'] = session
    exposeLibrary()
  }
  const noInputs: Inputs = { dataSources: null, variables: null, webhook: null, dateLastRun: null, run: null }

  /** session.vars as a script that threw left them, as JSON text inside JSON text; null when they are none. */
  const leftVars = (): string => {
    try {
      const text = stringify(session.vars)
      return typeof text === 'string' && text.length <= resultBytesMax ? stringify(text) : 'null'
    } catch {
      return 'null'
    }
  }
  const finishThrown = (error: unknown): void => {
    let name = ''
    let message = ''
    let stack = ''
    try {
      if (typeof error === 'object' && error !== null) {
        const fields = error as { name?: unknown; message?: unknown; stack?: unknown }
        const given = { name: fields.name, message: fields.message, stack: fields.stack }
        if (typeof given.name === 'string') name = cut(given.name, 200)
        if (typeof given.stack === 'string') stack = cut(given.stack, 8192)
        message = cut(typeof given.message === 'string' ? given.message : format(error), 65_536)
      } else message = cut(format(error), 65_536)
    } catch {
      message = 'The script threw a value that cannot be described.'
    }
    const texts = `"name":${stringify(name)},"message":${stringify(message)},"stack":${stringify(stack)}`
    hostFinish(`{"kind":"threw",${texts},"vars":${leftVars()}}`)
  }

  /** The value as JSON text inside JSON text; null when it has none, and then the job is finished already. */
  const finishedText = (what: string, read: () => unknown): string | null => {
    let text: string | undefined
    let reason = 'it is a function or a symbol'
    try {
      const value = read()
      text = value === undefined ? 'null' : stringify(value)
    } catch (error) {
      try {
        reason = cut(StringOfRealm((error as Error).message), 1000)
      } catch {
        reason = 'reading it threw an error'
      }
    }
    if (typeof text !== 'string') {
      hostFinish(`{"kind":"notJson","what":${stringify(what)},"message":${stringify(reason)}}`)
      return null
    }
    if (text.length > resultBytesMax) {
      hostFinish(`{"kind":"tooLarge","what":${stringify(what)},"bytes":${text.length}}`)
      return null
    }
    return stringify(text)
  }
  const finishReturned = (result: unknown): void => {
    const value = finishedText('The result', () => result)
    if (value === null) return
    const vars = finishedText('session.vars', () => session.vars)
    if (vars === null) return
    const vault = finishedText('session.vault', () => session.vault)
    if (vault === null) return
    const vaultGlobal = finishedText('session.vaultGlobal', () => session.vaultGlobal)
    if (vaultGlobal === null) return
    hostFinish(
      `{"kind":"returned","value":${value},"vars":${vars},"vault":${vault},"vaultGlobal":${vaultGlobal},"stop":${stop}}`,
    )
  }

  const watch = watchRealm(provided)
  let isWatchedDeep = false
  /** What a script left under way is nobody's any more, and what it was given must not fill the memory while its realm waits. */
  const tidy = (): boolean => {
    logLeft = logBytesMax
    callsUnderWay = 0
    sleepsUnderWay = 0
    firstWaiting = null
    lastWaiting = null
    underWay = create(null)
    onSettled = null
    stop = null
    session = create(null)
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
    const inputs = parse(inputsText) as Inputs & { session: Session }
    session = assign(create(null), inputs.session)
    giveInputs(inputs)
    try {
      // The constructor parses the text as a function body by itself, so no text can close the function and go on outside.
      run = AsyncFunction(`${script}\n//# sourceURL=patchbay-script`)
    } catch {
      hostFinish('{"kind":"invalid"}')
      return
    }
    // Calls that the script did not wait for are still carried out before it counts as finished.
    const afterCalls = (end: () => void): void => {
      if (callsUnderWay === 0) end()
      else
        onSettled = () => {
          onSettled = null
          end()
        }
    }
    apply(then, run(), [
      (value: unknown) => afterCalls(() => finishReturned(value)),
      (error: unknown) => afterCalls(() => finishThrown(error)),
    ])
  }

  const dispatch: Dispatch = (action, first, second, third) => {
    if (action === 'tidy') return tidy()
    if (action === 'start') start(first as string, second as string, third as Watch)
    else settle(first as number, second as boolean, third as string)
    return true
  }
  return (log, call, ask, finish, resultMax, logMax, callMax, calls, sleeps) => {
    hostLog = log
    hostCall = call
    hostAsk = ask
    hostFinish = finish
    resultBytesMax = resultMax
    logBytesMax = logMax
    logLeft = logMax
    callBytesMax = callMax
    callsAtOnce = calls
    sleepsAtOnce = sleeps
    for (let i = 0; i < unwanted.length; i++) deleteProperty(realm, unwanted[i] as string)
    deleteProperty(realm, ownName)
    watch.complete()
    return dispatch
  }
}
