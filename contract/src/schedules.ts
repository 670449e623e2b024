import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

export const workflowScheduler = operation({
  name: 'WorkflowScheduler',
  feature: 'Runs',
  method: 'POST',
  path: '/api/WorkflowScheduler',
  description: 'Schedule a deployed workflow, or stop its schedule.',
  changesState: true,
  audit: ['schedule.enabled', 'schedule.disabled'],
  body: Type.Object(
    {
      workflowId: Guid,
      isScheduled: Type.Boolean(),
      scheduleFrequency: Type.Optional(
        Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
          description:
            'Five cron fields (minute, hour, day of month, month, day of week), or hourly, daily, weekly or monthly. The stored one when absent.',
        }),
      ),
      timeZone: Type.Optional(
        Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
          description: 'Name from the IANA database, such as Europe/Oslo. Null: UTC. The stored one when absent.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.String() },
  refuses: ['not_found', 'workflow_not_deployed'],
  example: {
    answer:
      'The scheduler of the workflow "Orders" is enabled (*/15 * * * *); it runs next at 2026-03-01T08:15:00.000Z.',
    body: { workflowId: '0198c0de-0000-7000-8000-000000000001', isScheduled: true, scheduleFrequency: '*/15 * * * *' },
  },
})
