import type { Announce } from './stream-event.ts'

type ToldRun = {
  accountId: string
  workflowId: string
  runNumber: number
  runBy: string
  processorType: string
  status: string
  errorMessage: string | null
  webhookIds: string[] | null
}

/** The end of a run, and what it means for the queue it came from. */
export function announceEnds(
  announce: Announce,
  ended: readonly ToldRun[],
  workflows: readonly { workflowId: string; name: string }[],
): void {
  const names = new Map(workflows.map(({ workflowId, name }) => [workflowId, name]))
  for (const run of ended) {
    const { accountId, workflowId, runNumber, runBy, processorType, status, errorMessage, webhookIds } = run
    const workflowName = names.get(workflowId)
    const told = { runNumber, runBy, processorType, status, errorMessage, webhookIds }
    const data = workflowName === undefined ? told : { workflowName, ...told }
    announce({ type: 'run.ended', accountId, workflowId, data })
    if (webhookIds !== null) announce({ type: 'queue.changed', accountId, workflowId, data: {} })
  }
}
