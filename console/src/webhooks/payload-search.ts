/** The parts of a payload whose names or values hold a text, with the way to them; undefined when there are none. */
export function fitting(value: unknown, term: string): unknown {
  const wanted = term.toLowerCase()
  const isFitting = (text: string) => text.toLowerCase().includes(wanted)
  const search = (node: unknown): unknown => {
    if (Array.isArray(node)) {
      const kept = node.map(search).filter((part) => part !== undefined)
      return kept.length > 0 ? kept : undefined
    }
    if (node !== null && typeof node === 'object') {
      const kept = Object.entries(node)
        .map(([name, part]) => [name, isFitting(name) ? part : search(part)] as const)
        .filter(([, part]) => part !== undefined)
      return kept.length > 0 ? Object.fromEntries(kept) : undefined
    }
    return isFitting(String(node)) ? node : undefined
  }
  return search(value)
}
