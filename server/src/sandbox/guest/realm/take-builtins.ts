import type { HostFunctions } from './dispatch.ts'

/** What the host gave to this realm. Every field is there from the beginning, so that a script's `Object.prototype` is never asked. */
export type Host = HostFunctions & { resultBytesMax: number; logBytesMax: number; callBytesMax: number }

export type Builtins = ReturnType<typeof takeBuiltins>

/** Built-ins as they are before any script, and what is made of them in many places. Its text is compiled inside the isolate. */
export function takeBuiltins() {
  const realm = globalThis as unknown as { [name: string]: unknown }
  const { parse, stringify } = JSON
  const { apply, deleteProperty } = Reflect
  const { defineProperty, create, assign, freeze } = Object
  const { slice } = String.prototype

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

  return {
    realm,
    parse,
    stringify,
    apply,
    deleteProperty,
    defineProperty,
    create: create as (prototype: null) => object,
    assign,
    freeze,
    slice,
    isFiniteNumber: Number.isFinite,
    // biome-ignore lint/suspicious/noThenProperty: this is the built-in itself, taken before a script can replace it.
    then: Promise.prototype.then,
    PromiseOfRealm: Promise,
    ErrorOfRealm: Error,
    StringOfRealm: String,
    AsyncFunction: (async () => {}).constructor as (body: string) => () => Promise<unknown>,
    expose,
    cut,
    jsonOf,
  }
}
