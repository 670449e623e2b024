import { Type } from 'typebox'
import { runStatuses } from './client-values.ts'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { RequiredPage, RequiredSize } from './paging.ts'

export const RunStatus = Type.Enum([...runStatuses], {
  description:
    'Pending, Processing, Waiting (nothing of it runs, something waits), Ready (completed successfully), Error, Stopping or Stopped.',
})
export type RunStatusName = (typeof runStatuses)[number]

export const runSources = ['API', 'Scheduler', 'Webhook', 'Manual', 'Retry', 'Workflow'] as const
export type RunSource = (typeof runSources)[number]

export const RunNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the run.' })
export const answerHeaders = { 'X-Run-Number': RunNumber }
export const WorkflowId = Type.Object({ workflowId: Guid })
/** The most that a run, an event or an answer may be given, as JSON. */
export const inputBytesMax = 1_048_576
export const RunInput = Type.Unknown({ description: 'What scripts see as run.input: any JSON up to 1 MiB.' })
const BlockNumber = Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })

const WaitingFor = Type.Object({
  kind: Type.Enum(['retry', 'time', 'event', 'approval', 'subWorkflow', 'limit']),
  uniqueBlockId: Guid,
  itemKey: Type.Union([Type.String(), Type.Null()]),
  untilDateTimeUTC: Type.Union([Timestamp, Type.Null()]),
})

const ParentRun = Type.Object({
  workflowId: Guid,
  runNumber: Type.Integer(),
  uniqueBlockId: Guid,
  itemKey: Type.Union([Type.String(), Type.Null()]),
})

export const RunHistoryItem = Type.Object(
  {
    lockVersionNumber: Type.Integer({
      description: 'Number of the run; the next run of the workflow has the next one.',
    }),
    status: RunStatus,
    startDateTimeUTC: { ...Timestamp, description: 'When the run was accepted.' },
    endDateTimeUTC: Type.Union([Timestamp, Type.Null()], {
      description: 'When it ended; null while it is in progress.',
    }),
    durationInMilliSec: Type.Integer({ description: 'From start to end, or to now while it is in progress.' }),
    pauseInMilliSec: Type.Integer({
      description: 'Time the scripts spent sleeping or waiting for a called service to be ready.',
    }),
    runBy: Type.Enum([...runSources], {
      description: 'API, Scheduler, Webhook, Manual, Retry, or Workflow: another workflow started it.',
    }),
    processorType: Type.Enum(['Standard', 'Debug'], { description: 'Debug for a partial run, else Standard.' }),
    isExpiredByTime: Type.Boolean({ description: 'True when the run was ended because it took too long.' }),
    errorMessage: Type.Union([Type.String(), Type.Null()], {
      description: 'What went wrong; null unless the status is Error.',
    }),
    lastExecutedBlockId: Type.Union([Guid, Type.Null()], { description: 'The block that ended last.' }),
    lastExecutedBlockTitle: Type.Union([Type.String(), Type.Null()], { description: 'Name of that block.' }),
    startedByAccountId: Type.Union([Guid, Type.Null()], {
      description: 'The account that started it; null when a schedule or a webhook did.',
    }),
    revision: Type.Integer({ description: 'The revision of the workflow that the run executed.' }),
    webhookIds: Type.Array(Guid, { description: 'The webhook requests that the run took; none for other runs.' }),
    itemsTotal: Type.Integer({ description: 'Items of its blocks.' }),
    itemsFailed: Type.Integer({ description: 'Items that failed and are still open.' }),
    retryOfRunNumber: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The run that it retries; null unless runBy is Retry.',
    }),
    blockErrors: Type.Integer({ description: 'Blocks that failed and, by onError continue, did not end the run.' }),
    waitingFor: Type.Union([WaitingFor, Type.Null()], {
      description: 'While the status is Waiting: what it waits for; of several the one due first.',
    }),
    parentRun: Type.Union([ParentRun, Type.Null()], {
      description: 'The block or item of another run that started it as a sub-workflow and waits for its end.',
    }),
  },
  { description: 'One run of a workflow.' },
)

/** What a list of runs can be ordered by: every field of its items. */
export const runOrderFields = Object.keys(RunHistoryItem.properties) as (keyof typeof RunHistoryItem.properties)[]

export const runWorkflow = operation({
  name: 'RunWorkflow',
  feature: 'Runs',
  method: 'POST',
  path: '/api/RunWorkflow',
  description: 'Start a run of a deployed workflow. The response and its header X-Run-Number give its number.',
  changesState: true,
  // The history of runs says who started each.
  audit: null,
  body: Type.Object(
    {
      workflowId: Guid,
      webhookId: Type.Optional({ ...Guid, description: 'Run again with this webhook request.' }),
      runFromBlock: Type.Optional({
        ...BlockNumber,
        description: 'Number of the first block; results before it are reused.',
      }),
      runTillBlock: Type.Optional({ ...BlockNumber, description: 'Number of the last block.' }),
      items: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          minItems: 1,
          maxItems: 1000,
          description: 'Partial runs: blocks with items run only those with these keys.',
        }),
      ),
      waitForReal: Type.Optional(
        Type.Boolean({ description: 'Partial runs: blocks with wait really wait. By default they go on at once.' }),
      ),
      input: Type.Optional(RunInput),
    },
    { additionalProperties: false },
  ),
  answerHeaders,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'workflow_not_deployed', 'applications_missing', 'blocks_invalid', 'storage_full'],
  example: {
    body: { workflowId: '0198c0de-0000-7000-8000-000000000001' },
    answer: 'Run 1 of the workflow "Orders" has started.',
  },
})

export const stopWorkflowRun = operation({
  name: 'StopWorkflowRun',
  feature: 'Runs',
  method: 'GET',
  path: '/api/StopWorkflowRun/:workflowId',
  description:
    'Stop a run. The current block finishes (a sleep ends at once), then the run is Stopped. False when the run had already ended.',
  changesState: true,
  audit: 'run.stopped',
  params: WorkflowId,
  query: Type.Object({ runNumber: RunNumber }),
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const retryRun = operation({
  name: 'RetryRun',
  feature: 'Runs',
  method: 'GET',
  path: '/api/RetryRun/:workflowId',
  description:
    'Retry a failed or stopped run from the block that failed, with the same webhook requests and range. Repeating the call returns the retry that is in progress or has succeeded.',
  changesState: true,
  // The history of runs says who started each.
  audit: null,
  params: WorkflowId,
  query: Type.Object({ runNumber: RunNumber }),
  answerHeaders,
  answers: { 200: Type.String() },
  refuses: [
    'not_found',
    'workflow_not_deployed',
    'run_not_failed',
    'blocks_invalid',
    'webhook_request_taken',
    'storage_full',
  ],
  example: { answer: 'Run 8 of the workflow "Orders" has started. It retries run 7.' },
})

export const resumeWorkflow = operation({
  name: 'ResumeWorkflow',
  feature: 'Runs',
  method: 'GET',
  path: '/api/ResumeWorkflow/:id',
  description:
    'Resume the automatic runs of a workflow that was paused after repeated failures. Returns whether it was paused. While a connection it needs is faulted, it stays paused.',
  changesState: true,
  audit: 'workflow.resumed',
  params: Type.Object({ id: Guid }),
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const getRunHistory = operation({
  name: 'GetRunHistory',
  feature: 'Runs',
  method: 'POST',
  path: '/api/GetRunHistory/:workflowId',
  description: 'The runs of a workflow, newest first unless asked otherwise.',
  params: WorkflowId,
  malformedPathIs: 400,
  body: Type.Object(
    {
      page: RequiredPage,
      size: RequiredSize,
      lockVersionNumber: Type.Optional(RunNumber),
      status: Type.Optional(RunStatus),
      searchFrom: Type.Optional({ ...Timestamp, description: 'Only runs that started at this time or later.' }),
      searchTo: Type.Optional({ ...Timestamp, description: 'Only runs that started before this time.' }),
      orderByAsc: Type.Optional(Type.Boolean({ default: false })),
      orderField: Type.Optional(
        Type.Enum(runOrderFields, {
          default: 'startDateTimeUTC',
          description: 'Any field of a run history item.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ items: Type.Array(RunHistoryItem), total: Type.Integer() }) },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 20, status: 'Error' } },
})

export const BlockOfRun = Type.Object({
  uniqueBlockId: Guid,
  runNumber: Type.Optional({ ...RunNumber, description: 'Number of the run; the latest when absent.' }),
})
export const blockOfRun = { runNumber: Type.Integer(), uniqueBlockId: Guid }
/** The same of one item, where the block has items. */
export const ItemOfRun = Type.Object({
  ...BlockOfRun.properties,
  itemKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Key of an item, in a block that has items.' }),
  ),
})
export const itemOfRun = {
  ...blockOfRun,
  itemKey: Type.Optional(Type.String({ description: 'As it was asked for; else absent.' })),
}

export const getBlockResult = operation({
  name: 'GetBlockResult',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockResult/:workflowId',
  description: 'What a block returned in a run, or why it failed.',
  params: WorkflowId,
  query: ItemOfRun,
  answers: {
    200: Type.Object({
      success: Type.Boolean(),
      ...itemOfRun,
      result: Type.Unknown({ description: 'What the block returned; the error message when success is false.' }),
      skipped: Type.Optional(Type.Boolean({ description: 'True where the block was skipped; else absent.' })),
    }),
  },
  refuses: ['not_found'],
})

export const getBlockUserLog = operation({
  name: 'GetBlockUserLog',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockUserLog/:workflowId',
  description: 'What the script of a block wrote to its console in a run.',
  params: WorkflowId,
  query: ItemOfRun,
  answers: { 200: Type.Object({ ...itemOfRun, result: Type.Array(Type.String()) }) },
  refuses: ['not_found'],
})

export const getBlockSession = operation({
  name: 'GetBlockSession',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockSession/:workflowId',
  description: 'session.vars of a run as they were after a block.',
  params: WorkflowId,
  query: ItemOfRun,
  answers: { 200: Type.Object({ ...itemOfRun, result: Type.Record(Type.String(), Type.Unknown()) }) },
  refuses: ['not_found'],
})
