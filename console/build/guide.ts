// `docs/guide/*.md` as pages of the console. They are turned into HTML while building: nothing is parsed in the browser.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { renderMarkdown } from './markdown.ts'

const folder = fileURLToPath(new URL('../../docs/guide', import.meta.url))
const wanted = 'virtual:guide'

export function guide(): Plugin {
  return {
    name: 'guide',
    resolveId: (id) => (id === wanted ? `\0${wanted}` : undefined),
    load(id) {
      if (id !== `\0${wanted}`) return undefined
      const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
      for (const file of files) this.addWatchFile(join(folder, file))
      const pages = files.toSorted().map((file) => readGuidePage(file, readFileSync(join(folder, file), 'utf8')))
      return `export const guidePages = ${JSON.stringify(pages)}`
    },
  }
}

/** The files are numbered for their order; the address of a page is the name behind the number. */
function readGuidePage(file: string, markdown: string) {
  const { html, headings } = renderMarkdown(markdown)
  return {
    slug: file.replace(/^\d+-/, '').replace(/\.md$/, ''),
    title: headings[0]?.title ?? file,
    sections: headings.filter(({ depth }) => depth === 2).map(({ id, title }) => ({ id, title })),
    html,
    summary: plainText(/<p>(.*?)<\/p>/s.exec(html)?.[1] ?? ''),
    text: plainText(html.replaceAll('<', ' <')),
  }
}

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
