import { eventually } from '../../harness/eventually.ts'
import { enableWebhook, hasStatus } from '../../harness/webhooks.ts'
import { about, type Bench, type Changes } from './change.ts'

export function changesOfWebhooks({ service, manager, post, get, idle, deployed }: Bench): Changes {
  async function hookOf(settings: Record<string, unknown> = {}, script = 'return 1') {
    const workflowId = await deployed(script)
    return enableWebhook(manager, workflowId, settings)
  }
  async function heldRequest() {
    const hook = await hookOf()
    await manager.post(`/api/WebhookQueueHold/${hook.workflowId}`)
    return { workflowId: hook.workflowId, webhookId: (await hook.send({})).body.webhookId as string }
  }
  async function failedRequest() {
    const hook = await hookOf({}, "throw new Error('broken')")
    const { webhookId } = (await hook.send({})).body
    await hasStatus(manager, hook.workflowId, webhookId, 'Failed')
    return { workflowId: hook.workflowId, webhookId: webhookId as string }
  }

  return {
    WebhookSettingsEnable: {
      'webhook.enabled': async () => post(`/api/WebhookSettingsEnable/${await deployed()}`, {}),
      'webhook.changed': async () =>
        post(`/api/WebhookSettingsEnable/${(await hookOf()).workflowId}`, { skipProcessingAfterErrors: 3 }),
    },
    WebhookSettingsDisable: {
      'webhook.disabled': async () => post(`/api/WebhookSettingsDisable/${(await hookOf()).workflowId}`),
      'webhook.cleaned': async () =>
        post(`/api/WebhookSettingsDisable/${(await hookOf()).workflowId}?disableWithCleanSettings=true`),
    },
    WebhookSandboxPin: {
      'webhook.samplePinned': async () => {
        const workflowId = await idle()
        const hook = await enableWebhook(manager, workflowId)
        const { webhookId } = (await hook.send({})).body
        return post(`/api/WebhookSandboxPin/${workflowId}`, { webhookId })
      },
    },
    WebhookSkip: {
      'webhook.skipped': async () => {
        const { workflowId, webhookId } = await heldRequest()
        return about(workflowId, () => manager.post(`/api/WebhookSkip/${webhookId}`))
      },
    },
    WebhookRetry: {
      'webhook.retried': async () => {
        const { workflowId, webhookId } = await failedRequest()
        return about(workflowId, () => manager.post(`/api/WebhookRetry/${webhookId}`))
      },
    },
    WebhookQueueHold: {
      'webhook.held': async () => post(`/api/WebhookQueueHold/${(await hookOf()).workflowId}`),
    },
    WebhookQueueRelease: {
      'webhook.released': async () => {
        const { workflowId } = await hookOf()
        await manager.post(`/api/WebhookQueueHold/${workflowId}`)
        return post(`/api/WebhookQueueRelease/${workflowId}`)
      },
    },
    WebhookReplay: {
      'webhook.replayed': async () => post(`/api/WebhookReplay/${(await hookOf()).workflowId}`, {}),
    },
    ResumeWorkflow: {
      'workflow.resumed': async () => {
        const hook = await hookOf({}, "throw new Error('broken')")
        await service.asOwner('update workflows set auto_failures = 9 where id = $1', [hook.workflowId])
        await hook.send({})
        await eventually(
          async () => (await manager.get(`/api/Workflow/${hook.workflowId}`)).body.isAutoRunPaused === true,
        )
        return get(`/api/ResumeWorkflow/${hook.workflowId}`)
      },
    },
  }
}
