// A request that was given up is lost work unless somebody looks at it: its account is told.
import type { Tx } from '../../db/index.ts'
import { type PublishEvents, titleOf } from '../../events/index.ts'
import type { HeldItem } from './settle-store.ts'

export type TellDeps = { publish: PublishEvents; baseUrl: () => string }

export type GivenUp = HeldItem & { errorMessage: string }

export function tellGivenUp({ publish, baseUrl }: TellDeps, tx: Tx, givenUp: readonly GivenUp[]): Promise<void> {
  return publish(
    tx,
    givenUp.map((item) => ({
      accountId: item.accountId,
      type: 'webhook.givenUp',
      data: {
        workflowId: item.workflowId,
        workflowName: item.workflowName,
        ...(item.runNumber !== null && { runNumber: item.runNumber }),
        webhookId: item.webhookId,
        webhookIds: [item.webhookId],
        errorMessage: item.errorMessage,
      },
      mail: { subject: 'Patchbay gave up on a webhook request', text: describe(item, baseUrl()) },
    })),
  )
}

function describe(
  { webhookId, workflowId, workflowName, errorCounter, errorMessage }: GivenUp,
  baseUrl: string,
): string {
  const times = errorCounter === 1 ? 'once' : `${errorCounter} times`
  return [
    `Workflow "${titleOf(workflowName)}" failed ${times} on webhook request ${webhookId}, so Patchbay gave up on the request. The last error:`,
    '',
    errorMessage,
    '',
    `The request is in the history of the webhook, and you can run it again from there: ${baseUrl}/workflows/${workflowId}?tab=webhook`,
  ].join('\n')
}
