import { Type } from 'typebox'
import { operation } from './operation.ts'

export const sendEvent = operation({
  name: 'SendEvent',
  feature: 'Runs',
  method: 'POST',
  path: '/api/SendEvent',
  description:
    'Wake the runs that wait for an event of this name and key. The event is kept for 7 days for waits that begin later, in runs that started before it or within an hour after it.',
  changesState: true,
  // The result of the block that waited says what it was given.
  audit: null,
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the event.' }),
      key: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Number(), Type.Null()], {
          description: 'Only waits with an equal key are woken; without one, only waits without a key.',
        }),
      ),
      data: Type.Optional(
        Type.Unknown({ description: 'What the blocks that waited are given: any JSON up to 1 MiB.' }),
      ),
      eventId: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
          description: 'Your own id of the event: the same one counts once.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ wokenRuns: Type.Integer({ description: 'Runs that were waiting for it.' }) }) },
  refuses: ['storage_full'],
  example: { body: { name: 'order.paid', key: '1007', data: { amount: 250 } }, answer: { wokenRuns: 1 } },
})
