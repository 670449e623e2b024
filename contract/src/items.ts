// Items of blocks that run once for each of a list.
import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { RequiredPage, RequiredSize, SearchTerm } from './paging.ts'
import { BlockOfRun, RunNumber, WorkflowId } from './runs.ts'

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
