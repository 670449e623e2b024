// What a word is. Letters and digits make a word; words joined by one of - _ . @ / : make a compound, which is found whole, by its
// words, and by any words of it that stand side by side (`example.com` of `ann@example.com`).
const compounds = /[\p{L}\p{N}\p{M}]+(?:[-_.@/:][\p{L}\p{N}\p{M}]+)*/gu
const joiners = /[-_.@/:]/g

/**
 * Longest sequence of words of a compound that is a term of its own. A compound of n words has n² / 2 sequences, so the lengths are
 * bounded; a longer one is looked for by all its sequences of this length.
 */
const wordsMax = 8

/** Adds every term of a text, up to so many. Asked at each term, as a whole text may be one compound of very many words. */
export function addTerms(terms: Set<string>, text: string, termsMax: number): void {
  for (const [compound] of normalize(text).matchAll(compounds)) {
    for (const term of sequencesOf(compound, 1, wordsMax)) {
      if (terms.size >= termsMax) return
      terms.add(term)
    }
  }
}

/** The terms that must all be in a document for it to be found; none when the text holds no word. */
export function termsToFind(text: string): string[] {
  const terms = [...normalize(text).matchAll(compounds)].flatMap(([compound]) => {
    const isShort = wordEnds(compound).length <= wordsMax
    return isShort ? [compound] : [...sequencesOf(compound, wordsMax, wordsMax)]
  })
  return [...new Set(terms)]
}

/** The text of the strings, keys and numbers of a JSON text, without parsing it: only escapes need to be undone. */
export function textOfJson(json: string): string {
  if (!json.includes('\\')) return json
  return json.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, escaped: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return escaped === '/' ? '/' : ' '
  })
}

/** Without regard to case, and to how a character is composed. */
export function normalize(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters for which nothing else is to be done.
  return /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase()
}

function* sequencesOf(compound: string, shortest: number, longest: number): Generator<string> {
  const ends = wordEnds(compound)
  if (ends.length === 1) {
    yield compound
    return
  }
  const starts = [0, ...ends.slice(0, -1).map((end) => end + 1)]
  for (let first = 0; first < starts.length; first++) {
    for (let count = shortest; count <= longest && first + count <= ends.length; count++)
      yield compound.slice(starts[first], ends[first + count - 1])
  }
}

function wordEnds(compound: string): number[] {
  return [...Array.from(compound.matchAll(joiners), ({ index }) => index), compound.length]
}
