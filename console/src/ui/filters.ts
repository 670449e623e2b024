import { useCallback } from 'react'

type Navigate = (options: { search: never; replace: true }) => Promise<void>

/** Filters stand in the address. A change goes back to the first page, and leaves no step in the browser's history. */
export function useFilterChange<Filters extends object>(
  navigate: unknown,
): (changes: Partial<Record<keyof Filters, unknown>>) => void {
  return useCallback(
    (changes) =>
      void (navigate as Navigate)({
        search: ((before: object) => ({ ...before, page: undefined, ...changes })) as never,
        replace: true,
      }),
    [navigate],
  )
}
