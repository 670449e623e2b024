import type { RealmCalls } from './make-calls.ts'
import type { Provided, RealmState } from './provide-names.ts'
import type { Builtins } from './take-builtins.ts'

export type Inputs = {
  dataSources: unknown
  variables: unknown
  webhook: unknown
  dateLastRun: unknown
  run: unknown
  /** Names that only some scripts have, as `item`. */
  extras?: { [name: string]: unknown }
}

export type NamesOfRealm = {
  /** Puts every name of ours in its place again, whatever a script made of it. */
  exposeNames(): void
  giveInputs(inputs: Inputs): void
}

/** The names that a script finds in its realm. Its text is compiled inside the isolate. */
export function exposeNamesOf(
  builtins: Builtins,
  state: RealmState,
  provided: Provided,
  ask: RealmCalls['ask'],
): NamesOfRealm {
  const { realm, create, defineProperty, deleteProperty, expose } = builtins
  const makeLibrary = realm['fx'] as () => object
  deleteProperty(realm, 'fx')
  let isLibraryTouched = true

  /** The library is made when a script first asks for it. */
  const exposeLibrary = (): void => {
    if (!isLibraryTouched) return
    isLibraryTouched = false
    const property = create(null) as PropertyDescriptor
    property.configurable = true
    property.set = (value: unknown) => {
      isLibraryTouched = true
      expose(realm, 'fx', value)
    }
    property.get = () => {
      isLibraryTouched = true
      const fx = makeLibrary()
      expose(fx, 'stopAfterThisBlock', (flag: unknown) => {
        state.stop = !!flag
      })
      expose(fx, 'respond', (answer: unknown) => {
        ask('fx.respond', [answer])
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

  let given: { [name: string]: unknown } | undefined
  const giveExtras = (extras: { [name: string]: unknown } | undefined): void => {
    for (const name in given) deleteProperty(realm, name)
    given = extras
    for (const name in extras) expose(realm, name, extras[name])
  }

  const giveInputs = (inputs: Inputs): void => {
    giveExtras(inputs.extras)
    state.variables = inputs.variables
    realm['Datasource'] = inputs.dataSources
    realm['variables'] = inputs.variables
    realm['webhook'] = inputs.webhook
    realm['dateLastRun'] = inputs.dateLastRun
    realm['run'] = inputs.run
    realm['session'] = state.session
    exposeLibrary()
  }

  return { exposeNames, giveInputs }
}
