// What operators do with the queue of a webhook.
import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { TimeRange, WorkflowId, webhookHistoryStatuses } from './webhooks.ts'

const RequestId = Type.Object({ webhookId: Guid })

export const skipWebhook = operation({
  name: 'WebhookSkip',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookSkip/:webhookId',
  description: 'Take a waiting request out of the queue, unprocessed. False when it is already being processed.',
  changesState: true,
  audit: 'webhook.skipped',
  params: RequestId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const retryWebhook = operation({
  name: 'WebhookRetry',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookRetry/:webhookId',
  description: 'Try a failed request again now instead of later. False when it is not waiting for a retry.',
  changesState: true,
  audit: 'webhook.retried',
  params: RequestId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const holdWebhookQueue = operation({
  name: 'WebhookQueueHold',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookQueueHold/:workflowId',
  description: 'Keep accepting requests, but start none until the queue is released.',
  changesState: true,
  audit: 'webhook.held',
  params: WorkflowId,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'webhook_not_configured'],
})

export const releaseWebhookQueue = operation({
  name: 'WebhookQueueRelease',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookQueueRelease/:workflowId',
  description: 'Release a held queue; its requests are processed in order.',
  changesState: true,
  audit: 'webhook.released',
  params: WorkflowId,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'webhook_not_configured'],
})

export const webhookRefusals = operation({
  name: 'WebhookRefusals',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookRefusals/:workflowId',
  description:
    'Requests that the webhook refused because of their signature, address, size or format. The newest ten are kept without their bodies; all are counted by hour and reason. A refusal shows within a second or two.',
  params: WorkflowId,
  body: Type.Object({ page: Type.Optional(Page), size: Type.Optional(Size) }, { additionalProperties: false }),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          dateTimeUTC: { ...Timestamp, description: 'When the request came.' },
          statusCode: Type.Integer({ description: 'What it was answered with.' }),
          reason: Type.String({ description: 'Why it was refused.' }),
          ipAddress: Type.String({ description: 'Where it came from.' }),
          headerNames: Type.Array(Type.String(), { description: 'Names of its headers, in lower case.' }),
        }),
        { description: 'Newest first; at most ten are kept.' },
      ),
      hours: Type.Array(
        Type.Object({
          startDateTimeUTC: { ...Timestamp, description: 'Beginning of the hour.' },
          statusCode: Type.Integer(),
          reason: Type.String(),
          count: Type.Integer({ description: 'Requests refused in this hour for this reason.' }),
        }),
        { description: 'Newest first; at most 200.' },
      ),
      total: Type.Integer({ description: 'Requests refused, as long as history is kept.' }),
    }),
  },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 10 } },
})

export const WebhookReplay = Type.Object({
  id: { ...Guid, description: 'Id of the replay.' },
  workflowId: Guid,
  total: Type.Integer({ description: 'Number of requests to put back into the queue.' }),
  queued: Type.Integer({ description: 'How many have been put back so far.' }),
  waiting: Type.Integer({ description: 'How many of those are still waiting or being processed.' }),
  isComplete: Type.Boolean({ description: 'Whether all were put back and none is still waiting.' }),
  createDateTimeUTC: Timestamp,
})

export const replayWebhooks = operation({
  name: 'WebhookReplay',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookReplay/:workflowId',
  description: 'Put past requests back at the end of the queue, oldest first, with their original ids.',
  changesState: true,
  audit: 'webhook.replayed',
  params: WorkflowId,
  body: Type.Object(
    {
      ...TimeRange,
      status: Type.Optional(
        Type.Array(Type.Enum([...webhookHistoryStatuses]), {
          minItems: 1,
          maxItems: 2,
          description: 'Only requests that left the queue with this status. Default: Skipped.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: WebhookReplay },
  refuses: ['not_found', 'webhook_not_configured'],
  example: { body: { searchFrom: '2026-11-01T00:00:00Z', searchTo: '2026-11-02T00:00:00Z', status: ['Skipped'] } },
})

export const getWebhookReplay = operation({
  name: 'GetWebhookReplay',
  feature: 'Webhooks',
  method: 'GET',
  path: '/api/GetWebhookReplay/:replayId',
  description: 'Progress of a replay.',
  params: Type.Object({ replayId: Guid }),
  answers: { 200: WebhookReplay },
  refuses: ['not_found'],
})
