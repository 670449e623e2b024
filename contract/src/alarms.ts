import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { AcrossAccounts } from './statistics.ts'

export const expectationKinds = ['succeedsWithin', 'itemsBetween', 'receivesWithin', 'usual'] as const
export type ExpectationKind = (typeof expectationKinds)[number]

export const Expectation = Type.Object(
  {
    kind: Type.Enum([...expectationKinds], {
      description:
        'succeedsWithin: a run succeeds at least once every `hours`. receivesWithin: a webhook request arrives at least once every `hours`. itemsBetween: a block returns `min` to `max` items. usual: a block returns about as many items as it did in the last 30 days at this time of the week.',
    }),
    hours: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 8784, description: 'For succeedsWithin and receivesWithin.' }),
    ),
    uniqueBlockId: Type.Optional({ ...Guid, description: 'For itemsBetween and usual.' }),
    min: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'For itemsBetween.' })),
    max: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'For itemsBetween.' })),
  },
  { additionalProperties: false },
)
export const Expectations = Type.Object(
  { expectations: Type.Array(Expectation, { maxItems: 50 }) },
  { additionalProperties: false },
)
const WorkflowId = Type.Object({ workflowId: Guid })

export const getExpectations = operation({
  name: 'Expectations',
  feature: 'Alarms',
  method: 'GET',
  path: '/api/Expectations/:workflowId',
  description: 'What is expected of a workflow.',
  params: WorkflowId,
  answers: { 200: Expectations },
  refuses: ['not_found'],
})

export const setExpectations = operation({
  name: 'ExpectationsUpdate',
  feature: 'Alarms',
  method: 'POST',
  path: '/api/Expectations/:workflowId',
  description:
    'Set what is expected of a workflow, replacing earlier expectations. One that is not met raises an alarm, with an e-mail and an event. A result that is not an array counts as one item, null as none.',
  changesState: true,
  audit: 'expectations.changed',
  params: WorkflowId,
  body: Expectations,
  answers: { 200: null },
  refuses: ['not_found'],
  example: { body: { expectations: [{ kind: 'succeedsWithin', hours: 26 }] } },
})

const NullableTimestamp = Type.Union([Timestamp, Type.Null()])

export const listAlarms = operation({
  name: 'Alarms',
  feature: 'Alarms',
  method: 'POST',
  path: '/api/Alarms',
  description: 'Alarms, newest first.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      isOpen: Type.Optional(Type.Boolean({ description: 'Only open ones, or only closed ones.' })),
      acrossAccounts: Type.Optional(AcrossAccounts),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Guid,
          accountId: Guid,
          workflowId: Guid,
          workflowName: Type.String(),
          kind: Type.Enum([...expectationKinds]),
          uniqueBlockId: Type.Union([Guid, Type.Null()]),
          message: Type.String({ description: 'What was expected, and what was seen.' }),
          isOpen: Type.Boolean(),
          raisedDateTimeUTC: Timestamp,
          acknowledgedDateTimeUTC: NullableTimestamp,
          clearedDateTimeUTC: NullableTimestamp,
        }),
      ),
      total: Type.Integer(),
    }),
  },
  example: { body: { page: 0, size: 50, isOpen: true } },
})

export const alarmAction = operation({
  name: 'AlarmAction',
  feature: 'Alarms',
  method: 'POST',
  path: '/api/AlarmAction/:id',
  description:
    'Acknowledge an alarm (it stays open) or dismiss it (it closes, and is raised again only after the expectation has been met again).',
  changesState: true,
  audit: ['alarm.acknowledged', 'alarm.dismissed'],
  params: Type.Object({ id: Guid }),
  body: Type.Object({ action: Type.Enum(['acknowledge', 'dismiss']) }, { additionalProperties: false }),
  answers: { 200: null },
  refuses: ['not_found'],
})
