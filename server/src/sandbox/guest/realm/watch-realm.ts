import type { Provided } from './provide-names.ts'
import type { watchAdded } from './watch-added.ts'
import type { watchReplaced } from './watch-replaced.ts'

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
 *     as remembered ── script ──▶ nothing added to built-ins? ──▶ nothing replaced? ──▶ own names removed ──▶ as remembered
 *                                        └── no ──────────────────── no ──────────────── cannot be ──▶ given up
 *
 * All built-ins have about a thousand properties, and to compare every one costs as much as a new realm. So additions are found by asking for
 * enumerable properties, which built-ins do not have, by counting where libraries add hidden ones, and replacements are looked for where
 * scripts make them. A block that changes something else is still alone with it: only blocks of the same run, with the same rights, come
 * after it.
 */
export function watchRealm(parts: { watchAdded: typeof watchAdded; watchReplaced: typeof watchReplaced }) {
  return (provided: Provided): RealmWatch => {
    const realm = globalThis as unknown as { [name: string]: unknown }
    const { ownKeys, deleteProperty, isExtensible } = Reflect
    const added = parts.watchAdded(provided)
    const replaced = parts.watchReplaced(provided)
    let names: string[] = []

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
        added.watchErrors()
        replaced.watch(Error, ['stackTraceLimit'])
      },
      countHidden: () => {
        added.countHidden()
        names = ownKeys(realm) as string[]
      },
      restore: (isDeep) => {
        if (!added.hasNothing() || !replaced.hasNothing()) return false
        if (!isDeep) return removeEnumerable()
        return added.isCountedAsBefore() && added.isOpen() && isExtensible(realm) && removeAdded()
      },
    }
  }
}
