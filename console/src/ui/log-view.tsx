// Lines of a log. Only those in sight are in the page: a hundred thousand of them scroll like ten.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

/** `maxHeight` where nothing around it has a height: without one, every line would be in sight. */
export function LogView({
  lines,
  label,
  maxHeight = '100%',
}: {
  lines: readonly string[]
  label: string
  maxHeight?: string
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 20,
  })
  if (lines.length === 0) return <p className="text-table text-muted">Nothing was written to the log.</p>
  return (
    <div
      ref={scroller}
      role="log"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
      tabIndex={0}
      style={{ maxHeight }}
      className="min-h-0 overflow-auto font-mono text-label"
    >
      <div className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <div
            key={row.key}
            data-index={row.index}
            ref={rows.measureElement}
            className="absolute top-0 left-0 flex w-full gap-3 leading-5"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            <span className="min-w-8 shrink-0 text-right text-faint select-none">{row.index + 1}</span>
            <span className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{lines[row.index]}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
