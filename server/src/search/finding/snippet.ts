import { normalize } from '../index-format/words.ts'

const aroundCharacters = 80

/** The text around the word, on one line, cut between words; the beginning of the text when the word does not stand there literally. */
export function snippetOf(text: string, term: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const lowered = normalize(line)
  // Where lower case has another length than the text, positions do not fit; then the beginning has to do.
  const at = lowered.length === line.length ? findWord(lowered, term) : -1
  const start = Math.max(0, at - aroundCharacters)
  const end = Math.min(line.length, Math.max(at, 0) + term.length + aroundCharacters)
  const cut = line.slice(start, end).toWellFormed().trim()
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`
}

function findWord(text: string, term: string): number {
  const isWordAt = (at: number) => at >= 0 && at < text.length && /[\p{L}\p{N}\p{M}]/u.test(text[at] as string)
  let first = -1
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (first < 0) first = at
    if (!isWordAt(at - 1) && !isWordAt(at + term.length)) return at
  }
  return first
}
