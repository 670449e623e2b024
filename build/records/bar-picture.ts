// A picture of bars, one a row, as SVG that reads well on light and dark pages.
export type Bar = {
  label: string
  /** Written at the end of the bar. */
  text: string
  isGood: boolean | undefined
  /** Between 0 and 1; undefined draws no bar. */
  length: number | undefined
}

export type Picture = {
  title: string
  bars: readonly Bar[]
  /** A line through all bars, between 0 and 1, and what it means. */
  mark?: { at: number; text: string }
}

const [labelWidth, barWidth, textWidth, rowHeight, top] = [430, 300, 250, 22, 56]

export function drawBars({ title, bars, mark }: Picture): string {
  const height = top + bars.length * rowHeight + 16
  const rows = bars.map((bar, index) => drawBar(bar, top + index * rowHeight))
  const markAt = labelWidth + (mark?.at ?? 0) * barWidth
  const line = mark
    ? `<line x1="${markAt}" x2="${markAt}" y1="${top - 8}" y2="${height - 12}" class="mark"/><text x="${markAt}" y="${top - 14}" text-anchor="middle" class="quiet">${escaped(mark.text)}</text>`
    : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${labelWidth + barWidth + textWidth} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.quiet { fill: #59636e }
.good { fill: #1a7f5a } .bad { fill: #c4432b } .told { fill: #8a94a0 }
.mark { stroke: #59636e; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .quiet { fill: #9198a1 } .mark { stroke: #9198a1 } .good { fill: #3fb98a } .bad { fill: #f0735c } }
</style>
<text x="8" y="22" class="title">${escaped(title)}</text>
${rows.join('\n')}
${line}
</svg>
`
}

function drawBar({ label, text, isGood, length }: Bar, y: number): string {
  const middle = y + rowHeight / 2
  const kind = isGood === undefined ? 'told' : isGood ? 'good' : 'bad'
  const width = Math.max(2, Math.min(1, length ?? 0) * barWidth)
  const bar =
    length === undefined
      ? `<circle cx="${labelWidth + 6}" cy="${middle}" r="5" class="${kind}"/>`
      : `<rect x="${labelWidth}" y="${y + 4}" width="${width.toFixed(1)}" height="${rowHeight - 8}" rx="2" class="${kind}"/>`
  const end = labelWidth + (length === undefined ? 12 : width)
  return `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>${bar}<text x="${(end + 6).toFixed(1)}" y="${middle + 4}" class="quiet">${escaped(text)}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
