import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'
import { AcrossAccounts } from './statistics.ts'

export const streamEventNames = [
  'run.started',
  'run.block',
  'run.ended',
  'queue.changed',
  'connection.faulted',
  'connection.recovered',
  'workflow.changed',
  'alarm.raised',
  'alarm.cleared',
] as const
export type StreamEventName = (typeof streamEventNames)[number]

export const stream = operation({
  name: 'Stream',
  feature: 'Monitoring',
  method: 'GET',
  path: '/api/Stream',
  description: [
    `Watch what happens, as server-sent events: ${streamEventNames.join(', ')}.`,
    'The data of an event is a JSON object with accountId and, where they apply, workflowId, workflowName, runNumber, runBy, status,',
    'uniqueBlockId, blockName, errorMessage, webhookIds, regApplicationId, alarmId, and its timestamp. Send the last id as Last-Event-ID to resume',
    'a stream that was cut off; events are kept for 15 minutes. A reader that does not keep up is disconnected.',
  ].join(' '),
  query: Type.Object({
    workflowId: Type.Optional({ ...Guid, description: 'Only events of this workflow.' }),
    acrossAccounts: Type.Optional(AcrossAccounts),
  }),
  headers: {
    'Last-Event-ID': Type.String({ pattern: '^\\d{1,15}$', description: 'Resume after this event.' }),
  },
  answers: { 200: null },
  otherContent: 'text/event-stream',
  needsNoCsrfToken: true,
  refuses: ['not_found'],
})
