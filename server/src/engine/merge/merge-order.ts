/**
 * The order of the blocks that stay. Whoever moved blocks decides, the customer before the template; blocks that only the other side has
 * come after the block they follow there.
 */
export function mergeOrder(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
): string[] {
  const isOurs = isReordered(base, ours) || !isReordered(base, theirs)
  const [leading, following] = isOurs ? [ours, theirs] : [theirs, ours]
  const order = leading.filter((id) => kept.has(id))
  const placed = new Set(order)
  let before: string | undefined
  for (const id of following) {
    if (kept.has(id) && !placed.has(id)) {
      order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id)
      placed.add(id)
    }
    if (placed.has(id)) before = id
  }
  return order
}

function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const [known, still] = [new Set(before), new Set(after)]
  const remaining = before.filter((id) => still.has(id))
  return after.filter((id) => known.has(id)).some((id, index) => id !== remaining[index])
}
