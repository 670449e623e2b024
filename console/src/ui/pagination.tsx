import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from './button.tsx'

export type Paging = { page: number; onPage: (page: number) => void } & (
  | { size: number; total: number | undefined }
  /** For lists whose length nobody counts. */
  | { isLast: boolean }
)

/** Which of how many, and the two ways on. Shown only when there is more than one page. */
export function Pagination({ page, onPage, ...extent }: Paging) {
  const isLast = 'isLast' in extent ? extent.isLast : (page + 1) * extent.size >= (extent.total ?? 0)
  if (page === 0 && isLast) return null
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-end gap-1 border-t border-line px-3 py-1.5 text-label text-muted tabular-nums"
    >
      <span className="mr-2">
        {'isLast' in extent ? `Page ${page + 1}` : rangeText(page, extent.size, extent.total ?? 0)}
      </span>
      <IconButton icon={ChevronLeft} label="Previous page" disabled={page === 0} onClick={() => onPage(page - 1)} />
      <IconButton icon={ChevronRight} label="Next page" disabled={isLast} onClick={() => onPage(page + 1)} />
    </nav>
  )
}

function rangeText(page: number, size: number, total: number): string {
  const from = Math.min(page * size + 1, total)
  const to = Math.min((page + 1) * size, total)
  return `${from.toLocaleString('en')}–${to.toLocaleString('en')} of ${total.toLocaleString('en')}`
}
