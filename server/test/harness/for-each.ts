/** Works on the items of an iterator, eight at a time. */
export async function forEach<Item>(items: IterableIterator<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const hands = Array.from({ length: 8 }, async () => {
    for (let next = items.next(); !next.done; next = items.next()) await work(next.value)
  })
  await Promise.all(hands)
}
