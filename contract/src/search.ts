import { Type } from 'typebox'
import { searchPlaces } from './client-values.ts'
import { AccountName, Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { RunStatus } from './runs.ts'

export type SearchPlaceName = (typeof searchPlaces)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const Place = Type.Enum([...searchPlaces], {
  description:
    'webhook (a received payload), result or log of a block, error, or call (address and recorded bodies of an outbound call).',
})

export const FoundItem = Type.Object({
  accountId: Type.Optional({ ...Guid, description: 'Only with acrossAccounts.' }),
  accountName: Type.Optional({ ...AccountName, description: 'Only with acrossAccounts.' }),
  accountEmail: Type.Optional(Type.String({ description: 'Only with acrossAccounts.' })),
  workflowId: Guid,
  workflowName: Type.String(),
  runNumber: orNull(Type.Integer(), 'Null for a webhook payload that no run has taken yet.'),
  webhookId: orNull(Guid, 'The webhook request, when its payload was found.'),
  uniqueBlockId: orNull(Guid, 'The block; null for webhook payloads and for errors of a run as a whole.'),
  blockName: orNull(Type.String(), 'Name of the block at that run.'),
  where: Place,
  snippet: Type.String({ description: 'The text around the first match.' }),
  dateTimeUTC: { ...Timestamp, description: 'When the block ended, or the webhook request was accepted.' },
  status: orNull(RunStatus, 'Status of the run; null while there is none.'),
})

export const searchRuns = operation({
  name: 'SearchRuns',
  feature: 'Monitoring',
  method: 'POST',
  path: '/api/SearchRuns',
  description:
    'Find words in webhook payloads, block results, logs, errors and outbound calls, newest first. Words are matched whole and without regard to case. Masked secrets and values that a script took from the vault are not indexed: no search finds them, even where a result contains them.',
  body: Type.Object(
    {
      searchTerm: Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'One or more words. Several must all be in the same place.',
      }),
      in: Type.Optional(
        Type.Array(Place, {
          minItems: 1,
          maxItems: searchPlaces.length,
          description: 'Where to look; everywhere when absent.',
        }),
      ),
      workflowId: Type.Optional({ ...Guid, description: 'Only this workflow.' }),
      searchFrom: Type.Optional({ ...Timestamp, description: 'Only from this time on.' }),
      searchTo: Type.Optional({ ...Timestamp, description: 'Only before this time.' }),
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      acrossAccounts: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Search all accounts you may act for. Items then name their account.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ items: Type.Array(FoundItem), isLast: Type.Boolean() }) },
  refuses: ['not_found'],
  example: { body: { searchTerm: '4711', in: ['webhook', 'result'], page: 0, size: 20 } },
})
