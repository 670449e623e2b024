import { type TSchema, Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'

export const runStatuses = ['Pending', 'Processing', 'Ready', 'Error', 'Stopping', 'Stopped'] as const
export const RunStatus = Type.Enum([...runStatuses], {
  description: 'Pending, Processing, Ready (completed successfully), Error, Stopping or Stopped.',
})
export type RunStatusName = (typeof runStatuses)[number]

export const runSources = ['API', 'Scheduler', 'Webhook', 'Manual', 'Retry'] as const
export type RunSource = (typeof runSources)[number]

const RunNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the run.' })
const answerHeaders = { 'X-Run-Number': RunNumber }
const WorkflowId = Type.Object({ workflowId: Guid })
const BlockNumber = Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })

export const RunHistoryItem = Type.Object(
  {
    lockVersionNumber: Type.Integer({
      description: 'Number of the run; the next run of the workflow has the next one.',
    }),
    status: RunStatus,
    startDateTimeUTC: { ...Timestamp, description: 'When the run was accepted.' },
    endDateTimeUTC: Type.Union([Timestamp, Type.Null()], { description: 'When it ended; null while it is under way.' }),
    durationInMilliSec: Type.Integer({ description: 'From start to end, or to now while it is under way.' }),
    pauseInMilliSec: Type.Integer({
      description: 'Time in which the scripts slept or waited for a called service to be ready.',
    }),
    runBy: Type.Enum([...runSources], { description: 'API, Scheduler, Webhook, Manual or Retry.' }),
    processorType: Type.Enum(['Standard', 'Debug'], { description: 'Debug for a partial run, else Standard.' }),
    isExpiredByTime: Type.Boolean({ description: 'True when the run was ended because it took too long.' }),
    errorMessage: Type.Union([Type.String(), Type.Null()], {
      description: 'What went wrong; null unless the status is Error.',
    }),
    lastExecutedBlockId: Type.Union([Guid, Type.Null()], { description: 'The block that ended last.' }),
    lastExecutedBlockTitle: Type.Union([Type.String(), Type.Null()], { description: 'Name of that block.' }),
    startedByAccountId: Type.Union([Guid, Type.Null()], {
      description: 'The account that started it; null for runs of the schedule or a webhook.',
    }),
    revision: Type.Integer({ description: 'The revision of the workflow that the run executed.' }),
    webhookIds: Type.Array(Guid, { description: 'The webhook requests that the run took; none for other runs.' }),
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
  description: 'Start a run of a deployed workflow. The answer and the header X-Run-Number give its number.',
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
    },
    { additionalProperties: false },
  ),
  answerHeaders,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'workflow_not_deployed', 'applications_missing', 'blocks_invalid'],
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
    'Stop a run: the block under way finishes, unless it sleeps, then the run is Stopped. False when it had ended already.',
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
    'Retry a failed or stopped run from the block that failed, with the same webhook requests and range. Repeating the call names the retry that is under way or ended well.',
  changesState: true,
  // The history of runs says who started each.
  audit: null,
  params: WorkflowId,
  query: Type.Object({ runNumber: RunNumber }),
  answerHeaders,
  answers: { 200: Type.String() },
  refuses: ['not_found', 'workflow_not_deployed', 'run_not_failed', 'blocks_invalid', 'webhook_request_taken'],
  example: { answer: 'Run 8 of the workflow "Orders" has started.' },
})

export const resumeWorkflow = operation({
  name: 'ResumeWorkflow',
  feature: 'Runs',
  method: 'GET',
  path: '/api/ResumeWorkflow/:id',
  description:
    'Resume the automatic runs of a workflow that was paused after repeated failures. Answers whether it was paused; while a connection it needs is faulted, it stays so.',
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
      page: Page,
      size: Size,
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

const BlockOfRun = Type.Object({
  uniqueBlockId: Guid,
  runNumber: Type.Optional({ ...RunNumber, description: 'Number of the run; the latest when absent.' }),
})
const blockOfRun = { runNumber: Type.Integer(), uniqueBlockId: Guid }

export const getBlockResult = operation({
  name: 'GetBlockResult',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockResult/:workflowId',
  description: 'What a block returned in a run, or why it failed.',
  params: WorkflowId,
  query: BlockOfRun,
  answers: {
    200: Type.Object({
      success: Type.Boolean(),
      ...blockOfRun,
      result: Type.Unknown({ description: 'What the block returned; the error message when success is false.' }),
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
  query: BlockOfRun,
  answers: { 200: Type.Object({ ...blockOfRun, result: Type.Array(Type.String()) }) },
  refuses: ['not_found'],
})

export const getBlockSession = operation({
  name: 'GetBlockSession',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockSession/:workflowId',
  description: 'session.vars of a run as they were after a block.',
  params: WorkflowId,
  query: BlockOfRun,
  answers: { 200: Type.Object({ ...blockOfRun, result: Type.Record(Type.String(), Type.Unknown()) }) },
  refuses: ['not_found'],
})

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const BlockCall = Type.Object(
  {
    method: Type.String({ description: 'GET, POST and so on.' }),
    url: Type.String({
      description: 'Where it went, without secrets; short name and endpoint when there was no answer.',
    }),
    outcome: Type.Enum(['Answered', 'Failed', 'Unknown'], {
      description:
        'Failed: there was no answer. Unknown: it was about to be sent when its worker died, or is under way.',
    }),
    statusCode: orNull(Type.Integer(), 'Status of the answer; null when there was none.'),
    errorMessage: orNull(Type.String(), 'Why there was no answer.'),
    startDateTimeUTC: { ...Timestamp, description: 'When it was sent.' },
    durationInMilliSec: orNull(Type.Integer(), 'How long it took, waits for the target included.'),
    requestBytes: orNull(Type.Integer(), 'Size of the body that was sent.'),
    responseBytes: orNull(Type.Integer(), 'Size of the body that came back.'),
    idempotencyKey: orNull(
      Type.String(),
      'The Idempotency-Key that a write carried, the same when the block ran again.',
    ),
    attempt: Type.Integer({ description: 'Greater than 1 when the run had changed workers before.' }),
    requestBody: orNull(Type.String(), 'Only with recordCallBodies: its beginning, secrets masked.'),
    responseBody: orNull(Type.String(), 'Only with recordCallBodies: its beginning, secrets masked.'),
  },
  { description: 'One call that a block made to an application.' },
)

export const getBlockCalls = operation({
  name: 'GetBlockCalls',
  feature: 'Runs',
  method: 'GET',
  path: '/api/GetBlockCalls/:workflowId',
  description:
    'Every call to an application that a block made in a run, also in a run that was interrupted: whether something was sent already.',
  params: WorkflowId,
  query: BlockOfRun,
  answers: {
    200: Type.Object({
      ...blockOfRun,
      result: Type.Array(BlockCall),
      omitted: Type.Integer({ description: 'Calls for which there was no room; reads are left out first.' }),
    }),
  },
  refuses: ['not_found'],
})

const JsonObject = Type.Record(Type.String(), Type.Unknown())
const RecordedAnswer = Type.Object(
  {
    method: Type.Optional(Type.String({ maxLength: 10, description: 'GET when absent.' })),
    url: Type.String({ maxLength: 8192, description: 'Short name and address as the script writes it: TEST/orders.' }),
    statusCode: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: '200 when absent.' })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    data: Type.Optional(Type.Unknown({ description: 'Body of the answer.' })),
  },
  { additionalProperties: false },
)

export const TestedCall = Type.Object(
  {
    kind: Type.String({ description: 'api.get, api.post, api.send, vault.get, vault.set, email.send and so on.' }),
    arguments: Type.Unknown({ description: 'What the script gave.' }),
    answer: Type.Unknown({ description: 'What the script got; null when the call was refused.' }),
    errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why the call was refused.' }),
    durationInMilliSec: Type.Integer({ description: 'How long it took.' }),
  },
  { description: 'A call that a tested script made.' },
)

export const testBlock = operation({
  name: 'TestBlock',
  feature: 'Runs',
  method: 'POST',
  path: '/api/TestBlock',
  description:
    'Run one script with given inputs, without a workflow and without a trace in any history. Calls to applications go to real registered ones where `applications` names them, else they get the recorded answers. Vault and mail are not touched.',
  body: Type.Object(
    {
      script: Type.String({ maxLength: 1_048_576 }),
      dataSources: Type.Optional(
        Type.Array(Type.Unknown(), { maxItems: 100, description: 'What the script sees as Datasource.' }),
      ),
      variables: Type.Optional(JsonObject),
      sessionVars: Type.Optional(JsonObject),
      webhook: Type.Optional(Type.Unknown()),
      dateLastRun: Type.Optional(Type.Union([Timestamp, Type.Null()])),
      vault: Type.Optional({ ...JsonObject, description: 'What the vault of the workflow holds.' }),
      vaultGlobal: Type.Optional({ ...JsonObject, description: 'What the vault of the account holds.' }),
      applications: Type.Optional(
        Type.Record(Type.String(), Guid, { description: 'Short name to the id of a registered application to call.' }),
      ),
      recordedAnswers: Type.Optional(
        Type.Array(RecordedAnswer, {
          maxItems: 1000,
          description: 'Taken in their order by calls of the same method and url; the last one stays.',
        }),
      ),
      timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 30 })),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      success: Type.Boolean(),
      result: Type.Unknown({ description: 'What the script returned; the error message when success is false.' }),
      line: Type.Union([Type.Integer(), Type.Null()], { description: 'Where the script failed, if that is known.' }),
      column: Type.Union([Type.Integer(), Type.Null()]),
      log: Type.Array(Type.String()),
      sessionVars: JsonObject,
      deferredVault: Type.Object({ workflow: JsonObject, global: JsonObject }),
      stopAfterThisBlock: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null: the run would go on.' }),
      calls: Type.Array(TestedCall),
      durationInMilliSec: Type.Integer(),
      pauseInMilliSec: Type.Integer(),
    }),
  },
  example: {
    body: {
      script: "const orders = await api.get('TEST/orders')\nreturn orders.length",
      recordedAnswers: [{ url: 'TEST/orders', data: [{ id: 1 }] }],
    },
  },
})
