import type { GuidePage } from 'virtual:guide'

/** Pages that hold every word, those with a word in their title first, each with the text around the first one. */
export function searchGuide(pages: readonly GuidePage[], term: string): { page: GuidePage; excerpt: string }[] {
  const words = term
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return pages
    .map((page) => ({ page, text: `${page.title} ${page.text}`.toLowerCase() }))
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ page }) => {
      const at = Math.max(0, page.text.toLowerCase().indexOf(words[0] ?? ''))
      const from = Math.max(0, at - 60)
      return { page, excerpt: `${from > 0 ? '… ' : ''}${page.text.slice(from, from + 180)}` }
    })
    .toSorted((a, b) => rank(b.page, words) - rank(a.page, words))
}

function rank(page: GuidePage, words: readonly string[]): number {
  const title = page.title.toLowerCase()
  return words.filter((word) => title.includes(word)).length
}
