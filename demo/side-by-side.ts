/** Works through a list with so many at once. */
export async function sideBySide<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const item = items[next++] as Item
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
