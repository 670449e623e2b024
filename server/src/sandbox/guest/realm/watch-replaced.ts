import type { Provided } from './provide-names.ts'

export type ReplacedWatch = { watch(owner: object, names: string[]): void; hasNothing(): boolean }

/** Whether a script put something else in the place of what scripts like to replace. Its text is compiled inside the isolate. */
export function watchReplaced(provided: Provided): ReplacedWatch {
  type Named = { [name: string]: unknown }
  const realm = globalThis as unknown as Named
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
  watch(realm, ['Object', 'Array', 'String', 'Number', 'Date', 'JSON'])
  watch(realm, ['Math', 'Promise', 'Map', 'Set', 'Error', 'RegExp'])
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
  for (const name in provided) {
    const members: string[] = []
    for (const member in provided[name]) members[members.length] = member
    watch(realm, [name])
    watch(provided[name] as object, members)
  }
  return {
    watch,
    hasNothing: () => {
      for (let i = 0; i < keys.length; i++) if (owners[i]?.[keys[i] as string] !== originals[i]) return false
      return true
    },
  }
}
