/** Enough to see the shape of a value, and little enough to read. */
const charactersMax = 4000

/** The value itself, or its beginning with a word that it is only that. */
export function shorten(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= charactersMax) return value ?? null
  return { isCut: true, characters: text.length, beginning: text.slice(0, charactersMax) }
}
