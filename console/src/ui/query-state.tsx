// What stands in the place of an answer that did not come.
import type { ReactNode } from 'react'
import { RefusedQuery } from './refused-query.tsx'

type Result<Data> = { data: Data | undefined; error: Error | null; refetch: () => unknown }

/** Children get the answer once it is there; before that comes the skeleton, and a refusal is shown as its sentence. */
export function Loaded<Data>({
  query,
  skeleton,
  sentence,
  children,
}: {
  query: Result<Data>
  skeleton: ReactNode
  sentence: (error: unknown) => string
  children: (data: NonNullable<Data>) => ReactNode
}) {
  if (query.data !== undefined && query.data !== null) return <>{children(query.data)}</>
  if (query.error) {
    return <RefusedQuery sentence={sentence(query.error)} refetch={query.refetch} />
  }
  return <>{skeleton}</>
}
