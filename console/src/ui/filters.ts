import { useCallback } from 'react'

type Navigate<Filters> = (to: { search: (before: Filters) => Filters; replace: true }) => Promise<void>

/** Filters stand in the address. A change goes back to the first page, and leaves no step in the browser's history. */
export function useFilterChange<Filters extends { page?: number | undefined }>(
  navigate: Navigate<Filters>,
): (changes: Partial<Filters>) => void {
  return useCallback(
    (changes) => void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true }),
    [navigate],
  )
}
