import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'

/** For lists whose length nobody knows. */
export function NextPage({ page, isLast, onPage }: { page: number; isLast: boolean; onPage: (page: number) => void }) {
  if (page === 0 && isLast) return null
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-end gap-1 border-t border-line px-3 py-1.5 text-label text-muted"
    >
      <span className="mr-2">Page {page + 1}</span>
      <IconButton icon={ChevronLeft} label="Previous page" disabled={page === 0} onClick={() => onPage(page - 1)} />
      <IconButton icon={ChevronRight} label="Next page" disabled={isLast} onClick={() => onPage(page + 1)} />
    </nav>
  )
}
