import { Type } from 'typebox'
import { flowInputFields } from './chain-flow.ts'
import { blocksMax } from './client-values.ts'
import { Guid } from './ids.ts'
import { Name } from './names.ts'
import { operation } from './operation.ts'
import { Revision } from './revisions.ts'
import {
  mapOf,
  OutputBlock,
  RecordCallBodies,
  ReplayRuns,
  replayRunsDefault,
  TimeoutSeconds,
  WorkflowApiDto,
  WorkflowListApiDto,
} from './workflow-records.ts'

const WorkflowId = Type.Object({ id: Guid })

// An answer can be posted back as it is: what a client cannot change is accepted whatever it holds, and has no effect.
const readOnly = Type.Optional(Type.Unknown({ description: 'Read-only: accepted and ignored.' }))

export const ChainElement = Type.Object(
  {
    uniqueBlockId: Type.Optional(Guid),
    no: Type.Optional(Type.Integer({ description: 'Another position moves the block (unbound workflows only).' })),
    blockName: Type.Optional(Name),
    blockTemplateId: Type.Optional(
      Type.Union([Guid, Type.Null()], { description: 'The block template it follows. Null: none.' }),
    ),
    applicationShortName: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Null()], {
        description: 'The application it works with. Null: none.',
      }),
    ),
    script: Type.Optional(Type.String({ description: 'The body of an async function.' })),
    dataSources: Type.Optional(Type.Array(Guid, { maxItems: blocksMax })),
    variables: Type.Optional(
      mapOf<unknown>(
        {},
        'Variable name to {variableSource: Value, value} or {variableSource: Workflow, variableName}; unbound workflows also take type, and isDeleted: true.',
      ),
    ),
    ...flowInputFields,
    isDeleted: Type.Optional(Type.Boolean({ description: 'Removes the block (unbound workflows only).' })),
    isCustomized: readOnly,
    status: readOnly,
    startDateTimeUTC: readOnly,
    endDateTimeUTC: readOnly,
    tries: readOnly,
    childRun: readOnly,
  },
  { additionalProperties: false },
)

export const WorkflowInput = Type.Object(
  {
    workflowTemplateId: Type.Optional(
      Type.Union([Guid, Type.Null()], { description: 'The template to create from. An update cannot change it.' }),
    ),
    name: Type.Optional(Name),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    applications: Type.Optional(
      mapOf<unknown>({}, 'Application short name to the GUID of a registered application; null removes the mapping.'),
    ),
    variables: Type.Optional(
      mapOf<unknown>(
        {},
        'Variable name to {value} or to a bare value. In an unbound workflow, {value, type} adds a variable or changes its type, and {isDeleted: true} removes it.',
      ),
    ),
    unboundFromTemplate: Type.Optional(
      Type.Boolean({ default: false, description: 'Detaches the workflow from its template, for good.' }),
    ),
    chain: Type.Optional(Type.Array(ChainElement, { maxItems: blocksMax })),
    timeoutSeconds: Type.Optional(TimeoutSeconds),
    recordCallBodies: Type.Optional({ ...RecordCallBodies, default: false }),
    replayRuns: Type.Optional({ ...ReplayRuns, default: replayRunsDefault }),
    outputBlock: Type.Optional(OutputBlock),
    id: readOnly,
    revision: readOnly,
    accountId: readOnly,
    organizationId: readOnly,
    workflowState: readOnly,
    templateVersion: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
        description: 'The version of the template to create from, the newest by default. An update cannot change it.',
      }),
    ),
    isCustomizedStructure: Type.Optional(
      Type.Boolean({
        description:
          'True counts as unboundFromTemplate. On creation, chain and variables are then the whole workflow, not changes of the template.',
      }),
    ),
    isScheduled: readOnly,
    scheduleFrequency: readOnly,
    timeZone: readOnly,
    nextRunDateTimeUTC: readOnly,
    isAutoRunPaused: readOnly,
    isWebhookActive: readOnly,
    dateLastRunUTC: readOnly,
    lastRunNumber: readOnly,
    lastRunStatus: readOnly,
    tags: readOnly,
    createDateTimeUTC: readOnly,
    modifyDateTimeUTC: readOnly,
    warnings: readOnly,
    webhook: readOnly,
    run: readOnly,
  },
  { additionalProperties: false },
)

export const listWorkflows = operation({
  name: 'Workflows',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/Workflows',
  description: 'Every workflow of the account that is in development or deployed.',
  answers: { 200: Type.Array(WorkflowListApiDto) },
})

export const getWorkflow = operation({
  name: 'Workflow',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/Workflow/:id',
  description: 'A workflow with its blocks and values: now, as of a run, or in an earlier revision.',
  params: WorkflowId,
  query: Type.Object({
    runNumber: Type.Optional(Type.Integer({ minimum: 0, description: 'Shows the workflow as of this run.' })),
    revision: Type.Optional({ ...Revision, description: 'Shows this revision. Not together with runNumber.' }),
  }),
  answerHeaders: { ETag: Type.String({ description: 'The revision in quotes, for If-Match.' }) },
  answers: { 200: WorkflowApiDto },
  refuses: ['not_found'],
})

export const createWorkflow = operation({
  name: 'WorkflowCreate',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/Workflow',
  description: 'Create a workflow from a template, or a custom one from a chain of blocks.',
  changesState: true,
  audit: 'workflow.created',
  body: WorkflowInput,
  answers: { 200: Guid },
  refuses: ['not_found', 'workflow_invalid', 'cannot_be_stored', 'storage_full'],
  example: {
    body: {
      name: 'Hello',
      variables: { who: { value: 'world' } },
      chain: [
        {
          blockName: 'Greet',
          script: "return { greeting: 'Hello, ' + variables.who }",
          variables: { who: { variableSource: 'Workflow', variableName: 'who' } },
        },
      ],
    },
  },
})

const changeRefusals = [
  'not_found',
  'workflow_invalid',
  'workflow_not_deployable',
  'workflow_changed',
  'cannot_be_stored',
  'storage_full',
] as const

export const updateWorkflow = operation({
  name: 'WorkflowUpdate',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/Workflow/:id',
  description: 'Change a workflow. Blocks are named by uniqueBlockId; what is not named stays unchanged.',
  changesState: true,
  audit: 'workflow.changed',
  params: WorkflowId,
  body: WorkflowInput,
  headers: {
    'If-Match': Type.String({
      description:
        'The ETag of the workflow as you read it, or *. If somebody has changed the workflow since, the response is 409 and nothing is saved.',
    }),
  },
  answerHeaders: { ETag: Type.String({ description: 'The newest revision in quotes.' }) },
  answers: { 200: null },
  refuses: changeRefusals,
  example: { body: { name: 'Hello again', variables: { who: 'everyone' } } },
})

export const pushWorkflows = operation({
  name: 'PushWorkflows',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/PushWorkflows',
  description:
    'Create and change many workflows at once: all of them, or none if one is refused or was changed meanwhile.',
  changesState: true,
  audit: ['workflow.created', 'workflow.changed'],
  bodyBytesMax: 32 * 1024 * 1024,
  body: Type.Object(
    {
      workflows: Type.Array(
        Type.Object(
          {
            id: Type.Optional({ ...Guid, description: 'The workflow to change. Absent for a new one.' }),
            revision: Type.Optional({ ...Revision, description: 'The revision that you changed. Needed with id.' }),
            workflow: WorkflowInput,
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 1000 },
      ),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Array(
      Type.Object({
        id: Guid,
        revision: { ...Revision, description: 'The newest revision now.' },
        change: Type.Enum(['created', 'updated', 'unchanged']),
      }),
      { maxItems: 1000, description: 'In the order of the request.' },
    ),
  },
  refuses: changeRefusals,
  example: {
    body: { workflows: [{ workflow: { name: 'Hello', chain: [{ blockName: 'Greet', script: "return 'Hello'" }] } }] },
    answer: [{ id: '0198c0de-0000-7000-8000-000000000001', revision: 1, change: 'created' }],
  },
})

export const deployWorkflow = operation({
  name: 'DeployWorkflow',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/DeployWorkflow/:id',
  description: 'Check the workflow and let it run.',
  changesState: true,
  audit: 'workflow.deployed',
  params: WorkflowId,
  answers: { 200: Guid },
  refuses: ['not_found', 'workflow_not_deployable'],
})

export const archiveWorkflow = operation({
  name: 'ArchiveWorkflow',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/ArchiveWorkflow/:id',
  description: 'Stop schedule and webhook and hide the workflow; its history stays readable.',
  changesState: true,
  audit: 'workflow.archived',
  params: WorkflowId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'workflow_in_use'],
})

export const deleteWorkflow = operation({
  name: 'DeleteWorkflow',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/DeleteWorkflow/:id',
  description: 'Remove the workflow for good, with its history, vault entries, queue and settings.',
  changesState: true,
  audit: 'workflow.deleted',
  params: WorkflowId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'workflow_in_use'],
})
