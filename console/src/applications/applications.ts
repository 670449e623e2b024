import type { UseQueryResult } from '@tanstack/react-query'
import { type Answer, useOperation } from '../api.ts'

export type Application = Answer<'Applications'>[number]

/** The catalogue changes with releases and imports only. */
export function useApplications(): UseQueryResult<Answer<'Applications'> | null> {
  return useOperation('Applications', {}, { staleTime: 5 * 60_000 })
}

export function useApplication(shortName: string | null | undefined): Application | undefined {
  const { data } = useApplications()
  const wanted = shortName?.toLowerCase()
  return data?.find((application) => application.shortName.toLowerCase() === wanted)
}
