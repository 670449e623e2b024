import { useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api.ts'

/** What the blocks that this one reads from returned in a run; null where they returned nothing yet. */
export function useBlockInput(workflowId: string, runNumber: number | null, sources: readonly string[]) {
  const results = useQueries({
    queries: sources.map((uniqueBlockId) => ({
      ...operationQuery('GetBlockResult', {
        params: { workflowId },
        query: { uniqueBlockId, ...(runNumber === null ? {} : { runNumber }) },
      }),
      enabled: runNumber !== null,
      retry: false,
      staleTime: 30_000,
    })),
  })
  return {
    isLoading: results.some((result) => result.isLoading),
    values: results.map((result) => (result.data?.success ? result.data.result : null)),
  }
}
