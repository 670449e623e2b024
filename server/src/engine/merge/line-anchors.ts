/** Positions, on each of three sides, of lines that occur exactly once on every side and in the same order on all. */
export function findAnchors(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): [number, number, number][] {
  const [inOurs, inTheirs] = [placesOfSingles(ours), placesOfSingles(theirs)]
  const anchors = [...placesOfSingles(base)].flatMap(([line, place]): [number, number, number][] => {
    const [here, there] = [inOurs.get(line), inTheirs.get(line)]
    return here === undefined || there === undefined ? [] : [[place, here, there]]
  })
  return keepRising(
    keepRising(anchors, ([, place]) => place),
    ([, , place]) => place,
  )
}

/** In the order of the lines. */
function placesOfSingles(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [place, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line)
    else places.set(line, place)
  }
  for (const line of repeated) places.delete(line)
  return places
}

/** The longest part of the list whose positions only rise. */
function keepRising<Item>(items: readonly Item[], positionOf: (item: Item) => number): Item[] {
  // ends[n] is the item with the lowest position that ends a rising row of n + 1 items.
  const ends: number[] = []
  const before: (number | undefined)[] = []
  const positions = items.map(positionOf)
  for (const [index, position] of positions.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((positions[ends[middle] as number] as number) < position) low = middle + 1
      else high = middle
    }
    before[index] = ends[low - 1]
    ends[low] = index
  }
  const kept: Item[] = []
  for (let index = ends.at(-1); index !== undefined; index = before[index]) kept.push(items[index] as Item)
  return kept.reverse()
}
