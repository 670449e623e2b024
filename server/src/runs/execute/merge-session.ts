import type { JsonObject } from '../../lib/json.ts'

/** `current` with the changes that lead from `before` to `after`. */
export function mergeSession(current: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  // Nobody else changed anything meanwhile, which is the rule.
  if (current === before) return after
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value)) merged.set(key, value)
  }
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) merged.delete(key)
  return Object.fromEntries(merged)
}
