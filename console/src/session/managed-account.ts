// The account that is managed stands in the address (`?as=`), so a link opens the same view, and each tab has its own.
import { useSearch } from '@tanstack/react-router'

export function managedAccountId(): string | undefined {
  return new URLSearchParams(window.location.search).get('as') ?? undefined
}

export function useManagedAccountId(): string | undefined {
  return useSearch({ strict: false, select: (search) => search.as })
}
