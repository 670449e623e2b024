import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { forget, runNumberOf, useAction } from '../api.ts'

/** Starts a run and goes to its page. */
export function useRunWorkflow(workflowId: string) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return useAction('RunWorkflow', {
    onDone: ({ headers }) => {
      void forget(queries, ['Workflow', 'WorkflowsSearch', 'Workflows', 'GetRunHistory', 'Overview'])
      const number = runNumberOf(headers)
      if (number)
        void navigate({ to: '/workflows/$id/runs/$number', params: { id: workflowId, number: String(number) } })
    },
  })
}
