/**
 * Notes how a realm looks before a script, and returns what puts it back: globals that the script added are removed. It answers false when
 * that cannot be done, or when a built-in was changed; such a realm is given up. Its text is compiled inside the isolate like that of the
 * bootstrap, and none of it runs code of the script: it only lists properties and compares values,
 * and reads nothing that is not there itself, because a prototype may hold a getter of the script.
 *
 * All built-ins have about a thousand properties, and to compare every one costs as much as a new realm. So additions are found by counting,
 * and replacements are looked for where scripts make them. A block that replaces something else is still alone with it: only blocks of the
 * same run, with the same rights, come after it.
 */
export function watchRealm(): () => boolean {
  const realm = globalThis
  const { ownKeys, getOwnPropertyDescriptor, deleteProperty } = Reflect
  const { is, hasOwn } = Object
  const objects: object[] = [
    ...[
      Object,
      Function,
      Array,
      String,
      Number,
      Boolean,
      Symbol,
      BigInt,
      Date,
      RegExp,
      Map,
      Set,
      Promise,
      Error,
      TypeError,
    ],
    ...[Object.prototype, Function.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype],
    ...[
      Symbol.prototype,
      BigInt.prototype,
      Date.prototype,
      RegExp.prototype,
      Map.prototype,
      Set.prototype,
      Promise.prototype,
    ],
    ...[Error.prototype, TypeError.prototype, JSON, Math, Reflect, Intl],
  ]
  const replaceable: [object, string[]][] = [
    [JSON, ['stringify', 'parse']],
    [Math, ['random', 'round', 'floor']],
    [Date, ['now', 'parse']],
    [Date.prototype, ['toJSON', 'toISOString', 'toString', 'getTime']],
    [Object, ['keys', 'values', 'entries', 'assign']],
    [Object.prototype, ['toString', 'valueOf', 'hasOwnProperty']],
    [Array, ['isArray', 'from']],
    [Array.prototype, ['map', 'filter', 'forEach', 'reduce', 'sort', 'includes', 'join', 'push', 'at', 'find', 'flat']],
    [String.prototype, ['replace', 'replaceAll', 'split', 'trim', 'includes', 'padStart']],
    [Number.prototype, ['toFixed', 'toString', 'toLocaleString']],
    [Promise, ['all', 'allSettled', 'race']],
    [Promise.prototype, ['then', 'catch', 'finally']],
    [RegExp.prototype, ['exec', 'test']],
    [Function.prototype, ['call', 'apply', 'bind']],
    [Error.prototype, ['toString', 'message', 'name']],
  ]
  const readValue = (target: object, key: string | symbol): unknown => {
    const property = getOwnPropertyDescriptor(target, key)
    // What a description does not hold itself would be looked for in the prototype, which is the script's.
    return property && (hasOwn(property, 'get') ? property.get : property.value)
  }
  const names = ownKeys(realm)
  const values: unknown[] = []
  const counts: number[] = []
  const originals: unknown[] = []
  for (let i = 0; i < names.length; i++) values[i] = readValue(realm, names[i] as string)
  for (let i = 0; i < objects.length; i++) counts[i] = ownKeys(objects[i] as object).length
  for (let i = 0; i < replaceable.length; i++) {
    const [target, keys] = replaceable[i] as [object, string[]]
    for (let k = 0; k < keys.length; k++) originals[originals.length] = readValue(target, keys[k] as string)
  }

  return () => {
    for (let i = 0; i < objects.length; i++) if (ownKeys(objects[i] as object).length !== counts[i]) return false
    const present = ownKeys(realm)
    if (present.length < names.length) return false
    // Names of the engine come first and keep their order; what was added since comes behind them.
    for (let i = names.length; i < present.length; i++) if (!deleteProperty(realm, present[i] as string)) return false
    for (let i = 0; i < names.length; i++)
      if (present[i] !== names[i] || !is(readValue(realm, names[i] as string), values[i])) return false
    let original = 0
    for (let i = 0; i < replaceable.length; i++) {
      const target = (replaceable[i] as [object, string[]])[0]
      const keys = (replaceable[i] as [object, string[]])[1]
      for (let k = 0; k < keys.length; k++)
        if (readValue(target, keys[k] as string) !== originals[original++]) return false
    }
    return true
  }
}
