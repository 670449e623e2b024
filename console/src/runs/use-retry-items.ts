// Failed items run again, as they were or as somebody edited one.
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Answer, call, forget } from '../api.ts'
import { toast } from '../ui/toast.tsx'
import { groupItems } from './item-groups.ts'

type FailedItem = Answer<'FailedItems'>['items'][number]
type Retry = { items: readonly FailedItem[]; edited?: unknown }

export function useRetryItems(onDone: () => void, isShownInPlace = false): UseMutationResult<void, Error, Retry> {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace },
    mutationFn: async ({ items, ...rest }: Retry) => {
      for (const { accountId, workflowId, runNumber, uniqueBlockId, keys } of groupItems(items)) {
        const [key = ''] = keys
        const what = 'edited' in rest ? { items: [{ key, item: rest.edited }] } : { keys }
        const parts = { params: { workflowId }, body: { runNumber, uniqueBlockId, ...what } }
        toast.done(await call('RetryItems', parts, { accountId }))
      }
    },
    onSettled: () => forget(queries, ['FailedItems', 'WorkflowsSearch', 'Overview', 'Incidents', 'GetRunHistory']),
    onSuccess: onDone,
  })
}
