// A run that somebody points at is read before it is opened: the run, and the result of the block that its page opens with.
import { type Answer, operationQuery, queryKeyOf } from '../api.ts'
import { queries } from '../queries.ts'

type RunItem = Answer<'GetRunHistory'>['items'][number]
type WorkflowOfRun = Answer<'Workflow'>

export const runQuery = (id: string, runNumber: number) =>
  operationQuery('Workflow', { params: { id }, query: { runNumber } })

/** Results may be megabytes that never change, so they are not compared with what was read before. */
export const resultQuery = (workflowId: string, runNumber: number, uniqueBlockId: string) => ({
  ...operationQuery('GetBlockResult', { params: { workflowId }, query: { uniqueBlockId, runNumber } }),
  structuralSharing: false as const,
  staleTime: 60_000,
})

/** The block that failed, else the one that ended last. */
export function firstShownBlock({ chain, run }: WorkflowOfRun): string | undefined {
  const failed = chain.find((block) => block.status === 'Error')
  return failed?.uniqueBlockId ?? run?.lastExecutedBlockId ?? chain[0]?.uniqueBlockId
}

/** What a list that was shown says about a run. */
export function listedRun(workflowId: string, runNumber: number): RunItem | undefined {
  return queries
    .getQueriesData<Answer<'GetRunHistory'>>({ queryKey: queryKeyOf('GetRunHistory') })
    .filter(([key]) => (key[2] as { params?: { workflowId?: string } }).params?.workflowId === workflowId)
    .flatMap(([, page]) => page?.items ?? [])
    .find(({ lockVersionNumber }) => lockVersionNumber === runNumber)
}

/** The name of a workflow that was shown, whole or in a list. */
export function listedWorkflowName(workflowId: string): string | undefined {
  const shown = queries.getQueryData<WorkflowOfRun>(queryKeyOf('Workflow', { params: { id: workflowId }, query: {} }))
  if (shown) return shown.name
  return queries
    .getQueriesData<Answer<'WorkflowsSearch'>>({ queryKey: queryKeyOf('WorkflowsSearch') })
    .flatMap(([, page]) => page?.workflows ?? [])
    .find(({ id }) => id === workflowId)?.name
}

export async function prefetchRun(workflowId: string, runNumber: number): Promise<void> {
  const reading = queries.ensureQueryData(runQuery(workflowId, runNumber))
  const listed = listedRun(workflowId, runNumber)
  const isOver = listed !== undefined && listed.endDateTimeUTC !== null
  // Of a run that is over, the list knows the block that will be shown: both are read at once.
  const blockId = isOver ? listed.lastExecutedBlockId : firstShownBlock((await reading) as WorkflowOfRun)
  if (blockId) await queries.prefetchQuery(resultQuery(workflowId, runNumber, blockId))
}
