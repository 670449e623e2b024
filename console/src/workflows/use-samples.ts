// The samples of some blocks, with what a recorded run gave where nobody has tested or pinned anything.
import { useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api.ts'
import { bookOf, newestSample, type Sample } from '../definition/samples.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { useStore } from '../ui/store.ts'

export type Samples = {
  isLoading: boolean
  of: (blockId: string) => Sample | undefined
}

export function useSamples(workflow: WorkflowDetail, blockIds: readonly string[]): Samples {
  const book = useStore(bookOf(workflow.id))
  const runNumber = book.runNumber ?? workflow.lastRunNumber
  const results = useQueries({
    queries: blockIds.map((uniqueBlockId) => ({
      ...operationQuery('GetBlockResult', {
        params: { workflowId: workflow.id },
        query: { uniqueBlockId, ...(runNumber === null ? {} : { runNumber }) },
      }),
      enabled: runNumber !== null && !book.tested.has(uniqueBlockId) && !book.pinned.has(uniqueBlockId),
      retry: false,
      staleTime: 30_000,
    })),
  })
  const recordedOf = (blockId: string): Sample | undefined => {
    const data = results[blockIds.indexOf(blockId)]?.data
    return data?.success && runNumber !== null ? { value: data.result, origin: { kind: 'run', runNumber } } : undefined
  }
  return {
    isLoading: results.some((result) => result.isLoading),
    of: (blockId) => newestSample(book, blockId, recordedOf(blockId)),
  }
}

/** Where a sample comes from, in words. */
export function originWords({ origin }: Sample): string {
  return origin.kind === 'test' ? 'from your test' : origin.kind === 'pin' ? 'pinned' : `from run ${origin.runNumber}`
}
