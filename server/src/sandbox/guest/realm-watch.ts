export type RealmWatch = {
  /** Once in each realm, for what the engine adds to it behind the snapshot. */
  complete(): void
  /** Before a script that may add or remove hidden properties. */
  countHidden(): void
  /** After a script; `isDeep` when hidden properties were counted before it. */
  restore(isDeep: boolean): boolean
}

/**
 * Remembers a realm as it is and can put it back: names that a script added are removed. It answers false when
 * that cannot be done, or when a built-in was changed; such a realm is given up. Its text is compiled inside the isolate like that of the
 * bootstrap. A getter that a script left may run here: it is still that script's own time, and nobody listens to its host functions.
 *
 * All built-ins have about a thousand properties, and to compare every one costs as much as a new realm. So additions are found by asking for
 * enumerable properties, which built-ins do not have, by counting where libraries add hidden ones, and replacements are looked for where
 * scripts make them. A block that changes something else is still alone with it: only blocks of the same run, with the same rights, come
 * after it.
 */
export function watchRealm(provided: { [name: string]: object }): RealmWatch {
  const realm = globalThis as unknown as { [name: string]: unknown }
  const { ownKeys, deleteProperty, isExtensible } = Reflect
  const counted: object[] = [Object, Array, Promise, Object.prototype, Array.prototype, String.prototype]
  const bare: object[] = [
    ...counted,
    ...[Function, String, Number, Boolean, Symbol, BigInt, Date, RegExp, Map, Set, JSON, Math, Reflect, Intl],
    ...[Function.prototype, Number.prototype, Boolean.prototype, Symbol.prototype, BigInt.prototype, Date.prototype],
    ...[RegExp.prototype, Map.prototype, Set.prototype, Promise.prototype, Error.prototype, TypeError.prototype],
  ]
  type Named = { [name: string]: unknown }
  const owners: Named[] = []
  const keys: string[] = []
  const originals: unknown[] = []
  const watch = (owner: object, names: string[]): void => {
    for (let i = 0; i < names.length; i++) {
      const key = names[i] as string
      owners[keys.length] = owner as Named
      originals[keys.length] = (owner as Named)[key]
      keys[keys.length] = key
    }
  }
  watch(realm, [
    'Object',
    'Array',
    'String',
    'Number',
    'Date',
    'JSON',
    'Math',
    'Promise',
    'Map',
    'Set',
    'Error',
    'RegExp',
  ])
  watch(realm, ['parseInt', 'parseFloat', 'isNaN', 'encodeURIComponent', 'decodeURIComponent', 'eval', 'Function'])
  watch(JSON, ['stringify', 'parse'])
  watch(Math, ['random', 'round', 'floor'])
  watch(Date, ['now', 'parse'])
  watch(Date.prototype, ['toJSON', 'toISOString', 'toString', 'getTime'])
  watch(Object, ['keys', 'values', 'entries', 'assign'])
  watch(Object.prototype, ['toString', 'valueOf', 'hasOwnProperty'])
  watch(Array.prototype, ['map', 'filter', 'forEach', 'reduce', 'sort', 'includes', 'join', 'push', 'find', 'flat'])
  watch(String.prototype, ['replace', 'replaceAll', 'split', 'trim', 'includes', 'padStart'])
  watch(Number.prototype, ['toFixed', 'toString', 'toLocaleString'])
  watch(Promise, ['all', 'allSettled'])
  watch(Promise.prototype, ['then', 'catch', 'finally'])
  watch(RegExp.prototype, ['exec', 'test'])
  watch(Function.prototype, ['call', 'apply', 'bind'])
  watch(Error.prototype, ['toString', 'message', 'name'])
  /** Objects with enumerable properties of their own, and how many they have. */
  const holders: object[] = []
  const sizes: number[] = []
  for (const name in provided) {
    const members: string[] = []
    for (const member in provided[name]) members[members.length] = member
    holders[sizes.length] = provided[name] as object
    sizes[sizes.length] = members.length
    watch(realm, [name])
    watch(provided[name] as object, members)
  }
  let names: string[] = []
  const count = (): number[] => {
    const counts: number[] = []
    for (let i = 0; i < counted.length; i++) counts[counts.length] = ownKeys(counted[i] as object).length
    for (let i = 0; i < holders.length; i++) counts[counts.length] = ownKeys(holders[i] as object).length
    return counts
  }
  const isOpen = (): boolean => {
    // Functions of ours are frozen from the beginning.
    for (let i = 0; i < holders.length; i++)
      if (typeof holders[i] === 'object' && !isExtensible(holders[i] as object)) return false
    return isExtensible(realm)
  }
  let before: number[] = []
  const isCountedAsBefore = (): boolean => {
    const now = count()
    for (let i = 0; i < now.length; i++) if (now[i] !== before[i]) return false
    return true
  }
  const hasNothingAdded = (): boolean => {
    for (let i = 0; i < bare.length; i++) for (const _ in bare[i]) return false
    for (let i = 0; i < holders.length; i++) {
      let size = 0
      for (const _ in holders[i]) size++
      if (size !== sizes[i]) return false
    }
    return true
  }
  /** Names that a script made by assigning to them are the only ones of the realm that can be enumerated. */
  const removeEnumerable = (): boolean => {
    for (const name in realm) if (!deleteProperty(realm, name)) return false
    return true
  }
  const removeAdded = (): boolean => {
    const present = ownKeys(realm) as string[]
    // Names from before come first and keep their order: were one removed, the last one would have another place. What was added since
    // comes behind them.
    if (present[names.length - 1] !== names[names.length - 1]) return false
    for (let i = names.length; i < present.length; i++) if (!deleteProperty(realm, present[i] as string)) return false
    return true
  }

  return {
    complete: () => {
      holders[sizes.length] = Error
      sizes[sizes.length] = ownKeys(Error).includes('stackTraceLimit') ? 1 : 0
      watch(Error, ['stackTraceLimit'])
    },
    countHidden: () => {
      before = count()
      names = ownKeys(realm) as string[]
    },
    restore: (isDeep) => {
      if (!hasNothingAdded()) return false
      for (let i = 0; i < keys.length; i++) if (owners[i]?.[keys[i] as string] !== originals[i]) return false
      return isDeep ? isCountedAsBefore() && isOpen() && removeAdded() : removeEnumerable()
    },
  }
}
