// A request that its skip script fails on has no run that could tell of it: its account is told here, as of a run that failed. Until
// everything works again no other mail follows, whatever else fails.
import type { Tx } from '../../db/index.ts'
import { titleOf } from '../../events/index.ts'
import type { HeldItem } from '../queue/settle-store.ts'
import type { TellDeps } from '../queue/tell-given-up.ts'
import { markFailureTold } from './store.ts'

export async function tellFailing(
  { publish, baseUrl }: TellDeps,
  tx: Tx,
  { accountId, workflowId, workflowName, webhookId }: HeldItem,
  errorMessage: string,
): Promise<void> {
  if (!(await markFailureTold(tx, workflowId))) return
  const title = titleOf(workflowName)
  const text = [
    `Workflow "${title}" failed on webhook request ${webhookId} before a run could start:`,
    '',
    errorMessage,
    '',
    'You will not get another e-mail about this failure until everything works again, the workflow is paused, or a webhook request is given up.',
    `Details: ${baseUrl()}/workflows/${workflowId}?tab=webhook`,
  ].join('\n')
  const data = { workflowId, workflowName, runBy: 'Webhook', status: 'Error', errorMessage, webhookIds: [webhookId] }
  await publish(tx, [{ accountId, type: 'run.failed', data, mail: { subject: `Workflow "${title}" failed`, text } }])
}
