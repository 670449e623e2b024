// Items of blocks that run once for each of a list.
import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { RequiredPage, RequiredSize, SearchTerm } from './paging.ts'
import { answerHeaders, BlockOfRun, RunNumber, WorkflowId } from './runs.ts'
import { AcrossAccounts } from './statistics.ts'

const itemStates = ['pending', 'processing', 'waiting', 'succeeded', 'failed', 'skipped'] as const
export type ItemState = (typeof itemStates)[number]
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const itemFields = {
  index: Type.Integer({ description: 'Position in the list, from 0.' }),
  key: Type.String({ description: 'Key of the item.' }),
  status: Type.Enum([...itemStates]),
  errorMessage: orNull(Type.String()),
  tries: Type.Integer(),
  startDateTimeUTC: orNull(Timestamp),
  endDateTimeUTC: orNull(Timestamp),
  nextTryDateTimeUTC: orNull(Timestamp),
  childRun: orNull(Type.Object({ workflowId: Guid, runNumber: Type.Integer() })),
  retriedByRunNumber: orNull(Type.Integer()),
}

export const getBlockItems = operation({
  name: 'GetBlockItems',
  feature: 'Runs',
  method: 'POST',
  path: '/api/GetBlockItems/:workflowId',
  description: 'The items of a block in a run, by index, and how many there are in each state.',
  params: WorkflowId,
  body: Type.Object(
    {
      runNumber: Type.Optional({ ...RunNumber, description: 'Number of the run; the latest when absent.' }),
      uniqueBlockId: Guid,
      status: Type.Optional(Type.Enum([...itemStates])),
      searchTerm: Type.Optional({ ...SearchTerm, description: 'Looked for in keys and messages.' }),
      page: RequiredPage,
      size: RequiredSize,
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(Type.Object(itemFields)),
      total: Type.Integer({ description: 'Items that match.' }),
      counts: Type.Object(
        Object.fromEntries(itemStates.map((state) => [state, Type.Integer()])) as {
          [State in ItemState]: ReturnType<typeof Type.Integer>
        },
      ),
    }),
  },
  refuses: ['not_found'],
  example: { body: { uniqueBlockId: '0198c0de-0000-7000-8000-000000000001', status: 'failed', page: 0, size: 20 } },
})

export const getBlockItem = operation({
  name: 'GetBlockItem',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockItem/:workflowId',
  description: 'One item of a block in a run, with the item itself and its result.',
  params: WorkflowId,
  query: Type.Object({
    ...BlockOfRun.properties,
    itemKey: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Key of the item. Required.' })),
  }),
  answers: { 200: Type.Object({ ...itemFields, item: Type.Unknown(), result: Type.Unknown() }) },
  refuses: ['not_found'],
})

export const failedItems = operation({
  name: 'FailedItems',
  feature: 'Runs',
  method: 'POST',
  path: '/api/FailedItems',
  description:
    'Items that failed and are still open, newest first. An item stays here until a retry of it succeeds, it is dismissed, or 90 days have passed, however long its run is kept.',
  body: Type.Object(
    {
      workflowId: Type.Optional(Guid),
      searchTerm: Type.Optional({
        ...SearchTerm,
        description: 'Looked for in keys, messages and names of workflows and blocks.',
      }),
      acrossAccounts: Type.Optional(AcrossAccounts),
      page: RequiredPage,
      size: RequiredSize,
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          accountId: Guid,
          accountEmail: Type.String(),
          workflowId: Guid,
          workflowName: Type.String(),
          runNumber: Type.Integer({ description: 'The run in which it failed first.' }),
          uniqueBlockId: Guid,
          blockName: Type.String(),
          index: Type.Integer(),
          key: Type.String(),
          errorMessage: Type.String(),
          tries: Type.Integer(),
          failedDateTimeUTC: Timestamp,
          retriedByRunNumber: orNull(Type.Integer()),
        }),
      ),
      total: Type.Integer(),
    }),
  },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 50 } },
})

const itemKeysMax = 10_000
const ItemKeys = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: itemKeysMax,
  description: 'Keys of items; all open failed items of the block when absent.',
})

export const dismissItems = operation({
  name: 'DismissItems',
  feature: 'Runs',
  method: 'POST',
  path: '/api/DismissItems',
  description: 'Close failed items that need no retry. Returns how many were closed.',
  changesState: true,
  audit: 'items.dismissed',
  body: Type.Object(
    {
      workflowId: Guid,
      runNumber: RunNumber,
      uniqueBlockId: Guid,
      keys: Type.Optional(ItemKeys),
      comment: Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: '\\S',
        description: 'Why; goes to the audit log.',
      }),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Integer() },
  refuses: ['not_found', 'items_not_open'],
  example: {
    body: {
      workflowId: '0198c0de-0000-7000-8000-000000000001',
      runNumber: 7,
      uniqueBlockId: '0198c0de-0000-7000-8000-000000000002',
      keys: ['4711'],
      comment: 'Entered by hand.',
    },
    answer: 1,
  },
})

export const retryItems = operation({
  name: 'RetryItems',
  feature: 'Runs',
  method: 'POST',
  path: '/api/RetryItems/:workflowId',
  description:
    'Retry failed items of a run that ended well, as they were or edited: a new run takes exactly those items through their block and what follows it. Blocks before keep their results. A run that ended in Error is retried by RetryRun.',
  changesState: true,
  audit: 'items.retried',
  params: WorkflowId,
  body: Type.Object(
    {
      runNumber: RunNumber,
      uniqueBlockId: Guid,
      keys: Type.Optional(ItemKeys),
      items: Type.Optional(
        Type.Array(
          Type.Object(
            {
              key: Type.String({ minLength: 1, maxLength: 200 }),
              item: Type.Unknown({ description: 'Any JSON up to 1 MiB.' }),
            },
            { additionalProperties: false },
          ),
          {
            minItems: 1,
            maxItems: itemKeysMax,
            description: 'Items to retry with other contents. Not together with keys.',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  answerHeaders,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'items_not_open', 'workflow_not_deployed', 'blocks_invalid', 'storage_full'],
  example: {
    body: { runNumber: 7, uniqueBlockId: '0198c0de-0000-7000-8000-000000000002', keys: ['4711'] },
    answer: 'Run 8 of the workflow "Orders" has started. It retries 1 item of run 7.',
  },
})
