type Element = { uniqueBlockId: string; blockName: string; dataSources?: readonly string[] | undefined }

/** The blocks of one circle in order, or null when the chain can be put in an order. */
export function findCycle(chain: readonly Element[]): string[] | null {
  const byId = new Map(chain.map((element) => [element.uniqueBlockId, element]))
  const state = new Map<string, 'open' | 'done'>()
  for (const start of chain) {
    // An explicit stack: a chain of hundreds of blocks must not depend on the depth of the call stack.
    const trail: { id: string; next: number }[] = []
    if (!state.has(start.uniqueBlockId)) {
      trail.push({ id: start.uniqueBlockId, next: 0 })
      state.set(start.uniqueBlockId, 'open')
    }
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const source = byId.get(top.id)?.dataSources?.[top.next]
      top.next += 1
      if (source === undefined) {
        state.set(top.id, 'done')
        trail.pop()
      } else if (state.get(source) === 'open') {
        const from = trail.findIndex((step) => step.id === source)
        return trail.slice(from).map((step) => byId.get(step.id)?.blockName ?? step.id)
      } else if (byId.has(source) && !state.has(source)) {
        state.set(source, 'open')
        trail.push({ id: source, next: 0 })
      }
    }
  }
  return null
}
