// One side of a conflict: its text, with the lines marked that are not the same on the other side, and the rest folded.

import { diff } from '@codemirror/merge'
import { useMemo } from 'react'
import { classNames } from '../ui/class-names.ts'
import { counted } from '../ui/counted.ts'

const around = 3
/** A shorter text needs no folding. */
const linesFolded = 40

type Line = { number: number; text: string; isChanged: boolean }

export function ChangedLines({
  title,
  text,
  others,
}: {
  title: string
  text: string | null
  others: readonly string[]
}) {
  const pieces = useMemo(() => (text === null ? [] : foldLines(markLines(text, others))), [text, others])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section aria-label={title} tabIndex={0} className="max-h-80 min-w-0 overflow-auto bg-panel -outline-offset-2">
      <h4 className="sticky top-0 left-0 border-b border-line bg-raised px-3 py-1 text-label font-medium text-muted">
        {title}
      </h4>
      <div className="py-1.5">
        {text === null ? (
          <p className="px-3 py-2 text-table text-muted">Removed.</p>
        ) : (
          <pre className="w-max min-w-full font-mono text-label leading-5">
            {pieces.map((piece) =>
              'hidden' in piece ? (
                <div key={`hidden ${piece.from}`} className="bg-sunk px-3 text-faint select-none">
                  ⋯ {counted(piece.hidden, 'unchanged line')}
                </div>
              ) : (
                <div key={piece.number} className={classNames('flex', piece.isChanged && 'bg-amber-soft')}>
                  <span className="w-9 shrink-0 pr-2 text-right text-faint select-none">{piece.number}</span>
                  <span className="pr-3">{piece.text || ' '}</span>
                </div>
              ),
            )}
          </pre>
        )}
      </div>
    </section>
  )
}

function markLines(text: string, others: readonly string[]): Line[] {
  const changes = others.flatMap((other) => diff(other, text, { scanLimit: 2000 }))
  let at = 0
  return text.split(/\r\n|\r|\n/).map((line, index) => {
    const [from, to] = [at, at + line.length]
    at = to + (text.startsWith('\r\n', to) ? 2 : 1)
    const isChanged = changes.some((change) => change.fromB <= to && change.toB >= from && change.toB > change.fromB)
    return { number: index + 1, text: line, isChanged }
  })
}

function foldLines(lines: readonly Line[]): (Line | { hidden: number; from: number })[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some((line) => line.isChanged),
  )
  const pieces: (Line | { hidden: number; from: number })[] = []
  for (const [index, line] of lines.entries()) {
    const last = pieces.at(-1)
    if (isNear[index] || lines.length <= linesFolded) pieces.push(line)
    else if (last && 'hidden' in last) last.hidden += 1
    else pieces.push({ hidden: 1, from: line.number })
  }
  return pieces
}
