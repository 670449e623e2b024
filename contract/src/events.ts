import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'

export const eventNames = [
  'run.failed',
  'run.recovered',
  'connection.faulted',
  'connection.recovered',
  'workflow.paused',
  'workflow.resumed',
  'webhook.givenUp',
  'alarm.raised',
  'alarm.cleared',
  'upgrade.stopped',
] as const
export type EventName = (typeof eventNames)[number]

export const eventScopes = ['account', 'managed'] as const
export type EventScope = (typeof eventScopes)[number]

const Scope = Type.Enum([...eventScopes], {
  description: 'account: the account itself (the default). managed: every other account that it may act for.',
})
const ScopeQuery = Type.Object({ scope: Type.Optional(Scope) })

const Events = Type.Array(Type.Enum([...eventNames]), {
  maxItems: 20,
  description: `${eventNames.join(', ')}. Empty: all of them.`,
})
const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'Address that receives events, http or https.' })
const SubscriptionId = Type.Object({ id: Guid })

export const EventSubscription = Type.Object(
  {
    id: { ...Guid, description: 'Id of the subscription.' },
    scope: Scope,
    url: Url,
    events: Events,
    isActive: Type.Boolean({ description: 'False: nothing is sent.' }),
    lastDeliveryDateTimeUTC: Type.Union([Timestamp, Type.Null()], { description: 'When an event was last delivered.' }),
    lastError: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the last attempt failed; null after a success.',
    }),
    createDateTimeUTC: { ...Timestamp, description: 'When it was created.' },
  },
  { description: 'An address that receives events.' },
)

export const listEventSubscriptions = operation({
  name: 'EventSubscriptions',
  feature: 'Notifications',
  method: 'GET',
  path: '/api/EventSubscriptions',
  description: 'The addresses that receive events of the account, or of the accounts it manages.',
  query: ScopeQuery,
  answers: { 200: Type.Array(EventSubscription) },
})

export const createEventSubscription = operation({
  name: 'EventSubscriptionCreate',
  feature: 'Notifications',
  method: 'POST',
  path: '/api/EventSubscriptions',
  description:
    'Send events to an address as {type, timestamp, data}, signed according to Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). The secret is shown once.',
  changesState: true,
  audit: 'eventSubscription.created',
  body: Type.Object(
    { url: Url, events: Type.Optional(Events), scope: Type.Optional(Scope) },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ id: Guid, secret: Type.String({ description: 'Shown once.' }) }) },
  example: { body: { url: 'https://example.com/patchbay-events', events: ['run.failed'] } },
})

export const updateEventSubscription = operation({
  name: 'EventSubscriptionUpdate',
  feature: 'Notifications',
  method: 'POST',
  path: '/api/EventSubscription/:id',
  description: 'Change the address or the events of a subscription, or switch it on or off.',
  changesState: true,
  audit: 'eventSubscription.changed',
  params: SubscriptionId,
  body: Type.Object(
    { url: Type.Optional(Url), events: Type.Optional(Events), isActive: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  answers: { 200: null },
  refuses: ['not_found'],
})

export const deleteEventSubscription = operation({
  name: 'DeleteEventSubscription',
  feature: 'Notifications',
  method: 'GET',
  path: '/api/DeleteEventSubscription/:id',
  description: 'Delete a subscription. No more events are sent to its address.',
  changesState: true,
  audit: 'eventSubscription.deleted',
  params: SubscriptionId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

const failureMail = Type.Boolean({
  description: 'Whether the account gets an e-mail when something begins to fail and when it works again.',
})

export const getNotificationSettings = operation({
  name: 'NotificationSettings',
  feature: 'Notifications',
  method: 'GET',
  path: '/api/NotificationSettings',
  description:
    'Which e-mails the account gets about its own workflows and connections, or about those of the accounts it manages.',
  query: ScopeQuery,
  answers: { 200: Type.Object({ failureMail }, { additionalProperties: false }) },
})

export const setNotificationSettings = operation({
  name: 'NotificationSettingsUpdate',
  feature: 'Notifications',
  method: 'POST',
  path: '/api/NotificationSettings',
  description: 'Choose which e-mails the account gets. E-mails about managed accounts are off by default.',
  changesState: true,
  audit: 'notifications.changed',
  body: Type.Object({ failureMail, scope: Type.Optional(Scope) }, { additionalProperties: false }),
  answers: { 200: null },
  example: { body: { scope: 'managed', failureMail: true } },
})
