import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'
import { enableWebhook, queueOf } from './webhooks.ts'
import { deployWorkflow, type SampleWorkflow } from './workflows.ts'

/** A script that keeps what it was given in the vault, in the order in which it ran; `seenBy` reads it. */
export const remember = `
  const seen = (await myVault.get('seen')) ?? []
  const requests = Array.isArray(webhook) ? webhook : [webhook]
  await myVault.set('seen', [...seen, ...requests.map(({ body }) => body.n)])
  return webhook`

/** What tests of a webhook's queue do with the Manager of a service; it is asked for only then, because it starts later. */
export function operateQueues(service: () => TestService) {
  return {
    prepare: async (script: string, settings: Record<string, unknown> = {}) => {
      const workflow = await deployWorkflow(service().manager, [script])
      return { workflow, webhook: await enableWebhook(service().manager, workflow.id, settings) }
    },
    seenBy: async (workflow: SampleWorkflow) =>
      (await service().manager.get(`/api/MyVaultGet/${workflow.id}/seen`)).body,
    hold: (id: string) => service().manager.post(`/api/WebhookQueueHold/${id}`),
    release: (id: string) => service().manager.post(`/api/WebhookQueueRelease/${id}`),
    emptied: (id: string) => eventually(async () => (await queueOf(service().manager, id)).length === 0),
    /** Lets what waits for its next try be tried at once. */
    makeDue: (id: string) => service().asOwner('update webhook_queue set due_at = now() where workflow_id = $1', [id]),
  }
}
