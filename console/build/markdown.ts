// Markdown as the guide uses it: headings, paragraphs, lists, tables, code, links, bold and italic. Everything else stays text, so that a
// page cannot bring markup of its own into the console.
export type Heading = { depth: number; id: string; title: string }

export function renderMarkdown(markdown: string): { html: string; headings: Heading[] } {
  const headings: Heading[] = []
  const html: string[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string
    const heading = /^(#{1,4}) (.*)$/.exec(line)
    if (line.trim() === '') {
      at += 1
    } else if (heading) {
      const [, marks = '', title = ''] = heading
      const found = { depth: marks.length, id: idOf(title), title }
      headings.push(found)
      // The page that shows the text has the title as its only h1.
      if (found.depth > 1) html.push(`<h${found.depth} id="${found.id}">${inline(title)}</h${found.depth}>`)
      at += 1
    } else if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1)
      const code = lines.slice(at + 1, end).join('\n')
      // What scrolls must be reachable with the keyboard.
      html.push(`<pre tabindex="0"><code>${escapeText(code)}</code></pre>`)
      at = end + 1
    } else {
      const block = linesUntilBlank(lines, at)
      html.push(renderBlock(block))
      at += block.length
    }
  }
  return { html: html.join('\n'), headings }
}

function linesUntilBlank(lines: readonly string[], from: number): string[] {
  let end = from
  while (end < lines.length && lines[end]?.trim() !== '' && !lines[end]?.startsWith('```')) end += 1
  return lines.slice(from, end)
}

function renderBlock(block: readonly string[]): string {
  const [first = '', second = ''] = block
  if (first.startsWith('|') && /^\|[-| :]+\|$/.test(second)) return renderTable(block)
  if (first.startsWith('- ')) return renderList('ul', block, /^- /)
  const numbered = /^(\d+)\. /.exec(first)
  if (numbered) return renderList(numbered[1] === '1' ? 'ol' : `ol start="${numbered[1]}"`, block, /^\d+\. /)
  return `<p>${inline(block.join(' '))}</p>`
}

function renderList(tag: string, block: readonly string[], mark: RegExp): string {
  const items = block.map((line) => `<li>${inline(line.replace(mark, ''))}</li>`)
  return `<${tag}>${items.join('')}</${tag.split(' ')[0]}>`
}

function renderTable([head = '', , ...rows]: readonly string[]): string {
  const cells = (line: string, tag: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => `<${tag}>${inline(cell.trim())}</${tag.split(' ')[0]}>`)
      .join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')
  return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(head, 'th scope="col"')}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** Code first: nothing inside it means anything else. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((piece) => {
      if (/^`[^`]+`$/.test(piece)) return `<code>${escapeText(piece.slice(1, -1))}</code>`
      return escapeText(piece)
        .replaceAll(/\[([^\]]+)\]\((\/[^)\s]*|https:\/\/[^)\s]+)\)/g, '<a href="$2">$1</a>')
        .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replaceAll(/(^|[\s(])\*([^*]+)\*/g, '$1<em>$2</em>')
    })
    .join('')
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function idOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
