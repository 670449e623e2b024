import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from './button.tsx'

/** Which of how many, and the two ways on. Shown only when there is more than one page. */
export function Pagination({
  page,
  size,
  total,
  onPage,
}: {
  page: number
  size: number
  total: number | undefined
  onPage: (page: number) => void
}) {
  if (total === undefined || (total <= size && page === 0)) return null
  const from = Math.min(page * size + 1, total)
  const to = Math.min((page + 1) * size, total)
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-end gap-1 border-t border-line px-3 py-1.5 text-label text-muted tabular-nums"
    >
      <span className="mr-2">
        {from.toLocaleString('en')}–{to.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      <IconButton icon={ChevronLeft} label="Previous page" disabled={page === 0} onClick={() => onPage(page - 1)} />
      <IconButton icon={ChevronRight} label="Next page" disabled={to >= total} onClick={() => onPage(page + 1)} />
    </nav>
  )
}
