import { type Static, Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const WebhookSignature = Type.Object(
  {
    header: Type.String({ minLength: 1, maxLength: 100, description: 'Header that holds the signature.' }),
    algorithm: Type.Enum(['sha256', 'sha1', 'sha512'], { description: 'Hash of the HMAC.' }),
    encoding: Type.Enum(['hex', 'base64'], { description: 'How the signature is written.' }),
    prefix: Type.Optional(Type.String({ maxLength: 100, description: 'Text before the signature, such as sha256=.' })),
    signedText: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What is signed, made of {body}, {timestamp}, {id}, {method} and {url}, such as {timestamp}.{body}.',
    }),
    timestampHeader: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Header that holds the time, in seconds or milliseconds.',
      }),
    ),
    idHeader: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Header that holds the id of the delivery.' }),
    ),
  },
  { additionalProperties: false, description: 'How a sender signs its requests.' },
)
export type WebhookSignature = Static<typeof WebhookSignature>

const settings = {
  ipRestriction: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 200,
    description: 'Addresses or CIDR ranges from which requests are accepted. Empty: any address.',
  }),
  urlParameters: Type.String({ maxLength: 2000, description: 'Query string appended to the address of the webhook.' }),
  strictOrderProcessing: Type.Boolean({
    description: 'One request at a time, in the order in which they were accepted.',
  }),
  skipProcessingAfterErrors: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Errors in a row after which a request is skipped; 0 for never.',
  }),
  skipScript: Type.String({
    maxLength: 1_000_000,
    description:
      'Checks each request before it runs; if it returns something truthy, the request is skipped. Empty: none.',
  }),
  isBatch: Type.Boolean({ description: 'Whether one run takes several requests.' }),
  batchSize: Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum requests per run.' }),
  updateDateLastRun: Type.Boolean({ description: "Whether webhook runs update the workflow's last-run time." }),
  orderKey: Type.String({
    maxLength: 500,
    description:
      'Path into the payload, such as order.id: requests with the same value there are processed in order, others side by side. Empty: none.',
  }),
  respondWith: Type.Enum(['accepted', 'result'], {
    description:
      'accepted: the response is {webhookId}, at once. result: the response is what a script gives to fx.respond, else the result of the run. Not with isBatch or strictOrderProcessing.',
  }),
  respondSeconds: Type.Integer({
    minimum: 1,
    maximum: 60,
    description: 'With result: how long a sender waits for it; then the response is 202 {webhookId}.',
  }),
  signature: orNull(WebhookSignature, 'A signature format of your own, beside the known ones. Null: none.'),
}

export const WebhookSettingApiDto = Type.Object(
  {
    isActive: Type.Boolean({ description: 'Whether the webhook accepts requests.' }),
    ...settings,
    isHeld: Type.Boolean({ description: 'Whether the queue is held: requests are accepted and wait.' }),
    modifyAccountId: { ...Guid, description: 'Who changed the settings last.' },
    modifyDateTimeUTC: { ...Timestamp, description: 'When the settings were last changed.' },
  },
  { description: 'Settings of the webhook of a workflow.' },
)
export type WebhookSettingApiDto = Static<typeof WebhookSettingApiDto>

export const webhookQueueStatuses = ['Pending', 'Processing', 'Failed', 'Skipped'] as const
export const webhookHistoryStatuses = ['Done', 'Skipped'] as const

const queueItem = {
  webhookId: { ...Guid, description: 'Id of the request.' },
  createDateTimeUTC: { ...Timestamp, description: 'When the request was accepted.' },
  errorCounter: Type.Integer({ description: 'Consecutive errors so far.' }),
  no: Type.Integer({ description: 'Position, starting with 1.' }),
  runNumber: orNull(Type.Integer(), 'The run that took the request last; null when none did.'),
  errorMessage: orNull(Type.String(), 'What went wrong last; null when nothing did.'),
}

export const WebhookQueueItem = Type.Object({
  ...queueItem,
  status: Type.Enum([...webhookQueueStatuses], { description: 'Pending, Processing, Failed or Skipped.' }),
  nextScheduleDateTimeUTC: { ...Timestamp, description: 'Earliest time it will be processed.' },
})

export const WebhookHistoryItem = Type.Object({
  ...queueItem,
  status: Type.Enum([...webhookHistoryStatuses], { description: 'Done or Skipped.' }),
  nextScheduleDateTimeUTC: { ...Timestamp, description: 'When it was last due.' },
  deleteFromQueueDateTimeUTC: { ...Timestamp, description: 'When it left the queue.' },
})

export const WorkflowId = Type.Object({ workflowId: Guid })
export const TimeRange = {
  searchFrom: Type.Optional({ ...Timestamp, description: 'Only requests accepted at this time or later.' }),
  searchTo: Type.Optional({ ...Timestamp, description: 'Only requests accepted before this time.' }),
}
const SearchBody = Type.Object(
  { page: Type.Optional(Page), size: Type.Optional(Size), ...TimeRange },
  { additionalProperties: false },
)
const pageOf = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    length: Type.Integer({ description: 'How many there are in all.' }),
    isLast: Type.Boolean({ description: 'Whether this page is the last.' }),
    workflowSettings: Type.Object({ isAutoRunPaused: Type.Boolean(), isWebhookActive: Type.Boolean() }),
  })

export const getWebhookSettings = operation({
  name: 'WebhookSettings',
  feature: 'Webhooks',
  method: 'GET',
  path: '/api/WebhookSettings/:id',
  description: 'Settings of the webhook of a workflow.',
  params: Type.Object({ id: Guid }),
  answers: { 200: WebhookSettingApiDto, 204: null },
  refuses: ['not_found'],
})

export const enableWebhook = operation({
  name: 'WebhookSettingsEnable',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookSettingsEnable/:id',
  description:
    'Enable the webhook of a workflow, or change its settings. Omitted fields stay unchanged. The secret is returned the first time only.',
  changesState: true,
  audit: ['webhook.enabled', 'webhook.changed'],
  params: Type.Object({ id: Guid }),
  body: Type.Object(
    {
      secret: Type.Optional(
        Type.String({ maxLength: 500, description: 'What senders sign with. Generated when absent the first time.' }),
      ),
      ...Type.Partial(Type.Object(settings)).properties,
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      url: Type.String({ description: 'Address to which others send requests.' }),
      secret: Type.Optional(Type.String({ description: 'Only the first time: what senders sign with.' })),
      message: Type.Optional(
        Type.String({
          description:
            'The first time: how senders sign. Also, if automatic runs are still paused or the account is not active: why.',
        }),
      ),
    }),
  },
  refuses: ['not_found', 'workflow_archived'],
  example: { body: { strictOrderProcessing: true, skipProcessingAfterErrors: 3 } },
})

export const disableWebhook = operation({
  name: 'WebhookSettingsDisable',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookSettingsDisable/:id',
  description:
    'Stop accepting requests. Those already accepted are still processed. With disableWithCleanSettings, the settings are deleted too.',
  changesState: true,
  audit: ['webhook.disabled', 'webhook.cleaned'],
  params: Type.Object({ id: Guid }),
  query: Type.Object({ disableWithCleanSettings: Type.Optional(Type.Boolean({ default: false })) }),
  answers: { 200: Type.String() },
  refuses: ['not_found'],
})

export const getWebhookQueue = operation({
  name: 'GetWebhookQueue',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/GetWebhookQueue/:workflowId',
  description: 'Requests that wait or are being processed, in the order of the queue.',
  params: WorkflowId,
  body: SearchBody,
  answers: { 200: pageOf(WebhookQueueItem) },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 50 } },
})

export const getWebhookHistory = operation({
  name: 'GetWebhookHistory',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/GetWebhookHistory/:workflowId',
  description: 'Requests that left the queue, newest first.',
  params: WorkflowId,
  body: SearchBody,
  answers: { 200: pageOf(WebhookHistoryItem) },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 50 } },
})

export const getWebhook = operation({
  name: 'GetWebhook',
  feature: 'Webhooks',
  method: 'GET',
  path: '/api/GetWebhook/:webhookId',
  description: 'A request as it was received.',
  params: Type.Object({ webhookId: Guid }),
  answers: {
    200: Type.Object({
      id: Guid,
      webhookValue: Type.Unknown({ description: 'The payload: JSON, or text when it was not JSON.' }),
      method: Type.String({ description: 'POST, PUT or PATCH.' }),
      headers: Type.Record(Type.String(), Type.String(), {
        description: 'Headers by their lower-case names, without credentials and those of the connection.',
      }),
      urlParameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'The query string, by name.',
      }),
      createDateTimeUTC: Timestamp,
      modifyDateTimeUTC: { ...Timestamp, description: 'When its place in the queue last changed.' },
      workflowId: Guid,
    }),
    204: null,
  },
})

export const getSandboxWebhooks = operation({
  name: 'GetSandboxWebhooks',
  feature: 'Webhooks',
  method: 'GET',
  path: '/api/GetSandboxWebhooks/:id',
  description:
    'The requests received while the workflow was in development, newest first. The ten newest and the pinned one are kept.',
  params: Type.Object({ id: { ...Guid, description: 'Id of the workflow.' } }),
  answers: {
    200: Type.Array(
      Type.Object({
        webhookId: { ...Guid, description: 'Id of the request, for GetWebhook.' },
        createDateTimeUTC: { ...Timestamp, description: 'When the request was accepted.' },
        isPinned: Type.Boolean({ description: 'Whether GetSandboxWebhookValue returns this one.' }),
      }),
    ),
  },
  refuses: ['not_found'],
})

export const getSandboxWebhookValue = operation({
  name: 'GetSandboxWebhookValue',
  feature: 'Webhooks',
  method: 'GET',
  path: '/api/GetSandboxWebhookValue/:id',
  description:
    'The payload of the newest request received while the workflow was in development, or of the pinned one.',
  params: Type.Object({ id: Guid }),
  answers: { 200: Type.Unknown(), 204: null },
})

export const pinSandboxWebhook = operation({
  name: 'WebhookSandboxPin',
  feature: 'Webhooks',
  method: 'POST',
  path: '/api/WebhookSandboxPin/:id',
  description:
    'Pin the request that GetSandboxWebhookValue returns; null unpins it, so that the newest is returned again.',
  changesState: true,
  audit: 'webhook.samplePinned',
  params: Type.Object({ id: Guid }),
  body: Type.Object({ webhookId: Type.Union([Guid, Type.Null()]) }, { additionalProperties: false }),
  answers: { 200: null },
  refuses: ['not_found'],
})
