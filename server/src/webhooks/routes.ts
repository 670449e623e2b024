import type { HandlersOf } from '../http/index.ts'
import { getHistory, getQueue, getWebhook } from './history/list-requests.ts'
import { getReplay, type ReplayDeps, startReplay } from './history/replay.ts'
import { getSandboxValue, listSandbox, pinSandbox } from './history/samples.ts'
import { getRefusals } from './intake/get-refusals.ts'
import { retryRequest, setHeld, skipRequest } from './queue/operator-actions.ts'
import { type ChangeDeps, disableWebhook, enableWebhook } from './settings/change-settings.ts'
import { getSettings } from './settings/get-settings.ts'

type Names =
  | 'WebhookSettings'
  | 'WebhookSettingsEnable'
  | 'WebhookSettingsDisable'
  | 'GetWebhookQueue'
  | 'GetWebhookHistory'
  | 'GetWebhook'
  | 'GetSandboxWebhooks'
  | 'GetSandboxWebhookValue'
  | 'WebhookSandboxPin'
  | 'WebhookSkip'
  | 'WebhookRetry'
  | 'WebhookQueueHold'
  | 'WebhookQueueRelease'
  | 'WebhookRefusals'
  | 'WebhookReplay'
  | 'GetWebhookReplay'

export function webhookRoutes(deps: ChangeDeps & ReplayDeps): HandlersOf<Names> {
  return {
    WebhookSettings: ({ principal, params }) => getSettings(deps, principal, params.id),
    WebhookSettingsEnable: ({ principal, params, body }) => enableWebhook(deps, principal, params.id, body),
    WebhookSettingsDisable: ({ principal, params, query }) =>
      disableWebhook(deps, principal, params.id, query.disableWithCleanSettings ?? false),
    GetWebhookQueue: ({ principal, params, body }) => getQueue(deps, principal, params.workflowId, body),
    GetWebhookHistory: ({ principal, params, body }) => getHistory(deps, principal, params.workflowId, body),
    GetWebhook: ({ principal, params }) => getWebhook(deps, principal, params.webhookId),
    GetSandboxWebhooks: ({ principal, params }) => listSandbox(deps, principal, params.id),
    GetSandboxWebhookValue: ({ principal, params }) => getSandboxValue(deps, principal, params.id),
    WebhookSandboxPin: ({ principal, params, body }) => pinSandbox(deps, principal, params.id, body.webhookId),
    WebhookSkip: ({ principal, params }) => skipRequest(deps, principal, params.webhookId),
    WebhookRetry: ({ principal, params }) => retryRequest(deps, principal, params.webhookId),
    WebhookQueueHold: ({ principal, params }) => setHeld(deps, principal, params.workflowId, true),
    WebhookQueueRelease: ({ principal, params }) => setHeld(deps, principal, params.workflowId, false),
    WebhookRefusals: ({ principal, params, body }) => getRefusals(deps, principal, params.workflowId, body),
    WebhookReplay: ({ principal, params, body }) => startReplay(deps, principal, params.workflowId, body),
    GetWebhookReplay: ({ principal, params }) => getReplay(deps, principal, params.replayId),
  }
}
