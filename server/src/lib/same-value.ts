/** Equal as JSON values: by content, in any order of keys. A member that is undefined is not the same as none. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [members, otherMembers] = [Object.entries(one), Object.entries(other)]
  if (members.length !== otherMembers.length) return false
  return members.every(
    ([name, value]) => Object.hasOwn(other, name) && isSameValue(value, (other as Record<string, unknown>)[name]),
  )
}
