import { Type } from 'typebox'
import { AccountName, Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { AcrossAccounts, attentionKinds } from './statistics.ts'

export const incidents = operation({
  name: 'Incidents',
  feature: 'Monitoring',
  method: 'POST',
  path: '/api/Incidents',
  description:
    'What needs attention, grouped by cause: the same error in several workflows or accounts is one incident. Computed from what Overview lists.',
  body: Type.Object(
    {
      acrossAccounts: Type.Optional(AcrossAccounts),
      page: Type.Optional(Page),
      size: Type.Optional(Size),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String({ description: 'The same for as long as the cause is the same.' }),
          kind: Type.Enum([...attentionKinds]),
          title: Type.String({ description: 'What is affected: one thing by its name, several by their number.' }),
          message: Type.String({ description: 'What is wrong: the last error itself, where there is one.' }),
          sinceDateTimeUTC: Type.Union([Timestamp, Type.Null()], {
            description: 'Since when the oldest of them lasts.',
          }),
          accounts: Type.Array(
            Type.Object({ accountId: Guid, accountName: AccountName, accountEmail: Type.String() }),
            { description: 'The accounts it hits.' },
          ),
          workflows: Type.Array(Type.Object({ workflowId: Guid, workflowName: Type.String(), accountId: Guid }), {
            description: 'The workflows it hits, at most 1,000.',
          }),
          regApplicationId: Type.Union([Guid, Type.Null()], {
            description: 'The registered application that causes it, where there is one.',
          }),
          action: Type.Enum(['reconnect', 'retry', 'resume', 'open'], {
            description:
              'What helps: reconnect the application, retry or resume the workflows (BulkAction), or look at it.',
          }),
        }),
        { description: 'What stops work first; within that, the oldest first.' },
      ),
      total: Type.Integer(),
    }),
  },
  example: { body: { acrossAccounts: true, page: 0, size: 20 } },
})
