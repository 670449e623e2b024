import type { Provided } from './provide-names.ts'

export type AddedWatch = {
  /** What the engine adds to `Error` behind the snapshot. */
  watchErrors(): void
  countHidden(): void
  isCountedAsBefore(): boolean
  /** Whether properties can still be added to what scripts are given, so that later scripts find it as it was. */
  isOpen(): boolean
  /** Whether nothing that can be enumerated was added to a built-in or to what scripts are given. */
  hasNothing(): boolean
}

/** Whether a script added something to built-ins. Its text is compiled inside the isolate. */
export function watchAdded(provided: Provided): AddedWatch {
  const { ownKeys, isExtensible } = Reflect
  const counted: object[] = [Object, Array, Promise, Object.prototype, Array.prototype, String.prototype]
  const bare: object[] = [
    ...counted,
    ...[Function, String, Number, Boolean, Symbol, BigInt, Date, RegExp, Map, Set, JSON, Math, Reflect, Intl],
    ...[Function.prototype, Number.prototype, Boolean.prototype, Symbol.prototype, BigInt.prototype, Date.prototype],
    ...[RegExp.prototype, Map.prototype, Set.prototype, Promise.prototype, Error.prototype, TypeError.prototype],
  ]
  /** Objects with enumerable properties of their own, and how many they have. */
  const holders: object[] = []
  const sizes: number[] = []
  for (const name in provided) {
    let size = 0
    for (const _ in provided[name]) size++
    holders[sizes.length] = provided[name] as object
    sizes[sizes.length] = size
  }
  let before: number[] = []
  const count = (): number[] => {
    const counts: number[] = []
    for (let i = 0; i < counted.length; i++) counts[counts.length] = ownKeys(counted[i] as object).length
    for (let i = 0; i < holders.length; i++) counts[counts.length] = ownKeys(holders[i] as object).length
    return counts
  }
  return {
    watchErrors: () => {
      holders[sizes.length] = Error
      sizes[sizes.length] = ownKeys(Error).includes('stackTraceLimit') ? 1 : 0
    },
    countHidden: () => {
      before = count()
    },
    isCountedAsBefore: () => {
      const now = count()
      for (let i = 0; i < now.length; i++) if (now[i] !== before[i]) return false
      return true
    },
    isOpen: () => {
      // Functions of ours are frozen from the beginning.
      for (let i = 0; i < holders.length; i++)
        if (typeof holders[i] === 'object' && !isExtensible(holders[i] as object)) return false
      return true
    },
    hasNothing: () => {
      for (let i = 0; i < bare.length; i++) for (const _ in bare[i]) return false
      for (let i = 0; i < holders.length; i++) {
        let size = 0
        for (const _ in holders[i]) size++
        if (size !== sizes[i]) return false
      }
      return true
    },
  }
}
