export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }
/** An object of which nothing is known yet but that it is one. */
export type JsonMembers = Record<string, unknown>

/** False for lists, which are objects only to the language. */
export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: unknown): value is JsonMembers
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Goes level by level: recursion into a value that is too deep would exhaust the very stack that a limit protects. */
export function isDeeperThan(levelsMax: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const member of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof member === 'object' && member !== null) next.push(member)
      }
    }
    level = next
  }
  return false
}
