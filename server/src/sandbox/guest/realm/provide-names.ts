import type { RealmCalls } from './make-calls.ts'
import type { RealmLog } from './make-log.ts'
import type { Builtins } from './take-builtins.ts'

export type Session = { vars: unknown; vault: { [key: string]: unknown }; vaultGlobal: { [key: string]: unknown } }

/** What belongs to the script under way. Every field is there from the beginning. */
export type RealmState = {
  session: Session
  variables: unknown
  /** What the script said to `fx.stopAfterThisBlock`. */
  stop: boolean | null
}

export type Provided = { [name: string]: object }

/** What is the same for every script; made once, because to make it takes longer than most scripts. Its text is compiled inside the isolate. */
export function provideNames(builtins: Builtins, state: RealmState, calls: RealmCalls, log: RealmLog['log']): Provided {
  const { expose, freeze, jsonOf, parse, ErrorOfRealm, StringOfRealm } = builtins
  const { ask, request } = calls
  const sleepMsMax = 3_600_000

  const defer = (values: object, key: unknown, value: unknown): void => {
    // The value as it is now counts, not what the script makes of it later.
    expose(values, StringOfRealm(key), parse(jsonOf(value)))
  }
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
    setOnComplete: (key: unknown, value: unknown) => defer(state.session.vault, key, value),
    getGlobal: (key: unknown) => ask('myVault.getGlobal', [key]),
    setGlobal: (key: unknown, value: unknown) => ask('myVault.setGlobal', [key, value]),
    removeGlobal: (key: unknown) => ask('myVault.removeGlobal', [key]),
    containsGlobal: (key: unknown) => ask('myVault.containsGlobal', [key]),
    setGlobalOnComplete: (key: unknown, value: unknown) => defer(state.session.vaultGlobal, key, value),
  }
  const provided: Provided = {
    api,
    myVault,
    getVariables: () => state.variables,
    events: {
      send: (name: unknown, key: unknown, data: unknown) => request('events.send', [name, key, data], false),
    },
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
  return provided
}
