import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size, TagFilter } from './paging.ts'
import { RunHistoryItem } from './runs.ts'

export const workflowStates = ['inDevelopment', 'deployed', 'archived'] as const
export type WorkflowStateName = (typeof workflowStates)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** An object whose keys are names that somebody chose. */
const mapOf = <Value>(values: object, description: string) =>
  Type.Unsafe<Record<string, Value>>({ type: 'object', additionalProperties: values, description })

const WorkflowState = Type.Enum([...workflowStates], { description: 'inDevelopment, deployed or archived.' })

const VariableBinding = Type.Object({
  variableSource: Type.String({ description: 'Value or Workflow.' }),
  value: Type.Optional(Type.Unknown({ description: 'With Value: the value itself; passwords are masked.' })),
  variableName: Type.Optional(
    Type.String({ description: 'With Workflow: the workflow variable that gives the value.' }),
  ),
})
type VariableBinding = { variableSource: string; value?: unknown; variableName?: string }

export const ChainApiDto = Type.Object(
  {
    no: Type.Integer({ description: 'Position in the chain, starting with 1.' }),
    uniqueBlockId: { ...Guid, description: 'Identifies the block in the workflow.' },
    blockName: Type.String({ description: 'Name of the block.' }),
    blockTemplateId: orNull(Guid, 'The block template it was made from; null for a block with a script of its own.'),
    applicationShortName: orNull(Type.String(), 'The application that the block needs, if any.'),
    script: Type.String({ description: 'What the block does.' }),
    dataSources: Type.Array(Guid, {
      description: 'The blocks whose results are the inputs of this one, in this order.',
    }),
    variables: mapOf<VariableBinding>(VariableBinding, 'Variable name to its binding.'),
    isCustomized: Type.Boolean({ description: 'Whether the block differs from its template.' }),
    status: Type.Optional(
      Type.String({
        description: 'Only with runNumber: Ready, Error, Skipped, or Pending while the run is under way.',
      }),
    ),
    startDateTimeUTC: Type.Optional(orNull(Timestamp, 'Only with runNumber: when the block started.')),
    endDateTimeUTC: Type.Optional(orNull(Timestamp, 'Only with runNumber: when the block ended.')),
  },
  { description: 'One block of a workflow.' },
)

const listFields = {
  id: { ...Guid, description: 'Id of the workflow.' },
  name: Type.String({ description: 'Name of the workflow.' }),
  description: Type.String({ description: 'What the workflow is for.' }),
  workflowState: WorkflowState,
  workflowTemplateId: orNull(Guid, 'The template it was made from; null for a custom workflow.'),
  templateVersion: orNull(Type.String(), 'Version of that template at the time; null for drafts and custom workflows.'),
  isCustomizedStructure: Type.Boolean({ description: 'Whether the workflow is unbound from its template.' }),
  applications: mapOf<string>(Guid, 'Application short name to the id of the registered application.'),
  isScheduled: Type.Boolean({ description: 'Whether the scheduler runs it.' }),
  scheduleFrequency: orNull(Type.String(), 'Five cron fields, or hourly, daily, weekly, monthly.'),
  nextRunDateTimeUTC: orNull(Timestamp, 'When the scheduler runs it next.'),
  isAutoRunPaused: Type.Boolean({ description: 'Whether automatic runs wait for an error to be mended.' }),
  isWebhookActive: Type.Boolean({ description: 'Whether its webhook takes requests.' }),
  dateLastRunUTC: orNull(Timestamp, 'Start of the last run that completed.'),
  lastRunNumber: orNull(Type.Integer(), 'Number of the latest run.'),
  lastRunStatus: orNull(Type.String(), 'Status of the latest run.'),
  tags: Type.Array(Type.String(), { description: 'Tags of the workflow.' }),
  createDateTimeUTC: { ...Timestamp, description: 'When it was created.' },
  modifyDateTimeUTC: { ...Timestamp, description: 'When it was last changed.' },
}

export const WorkflowListApiDto = Type.Object(listFields, { description: 'Workflow summary.' })

const WorkflowVariable = Type.Object({
  value: Type.Unknown({ description: 'Null while it is not set; passwords are masked.' }),
  type: Type.String({ description: 'text, password, number, boolean, date, select, multiselect or json.' }),
  required: Type.Boolean({ description: 'Whether it must be set before deploying.' }),
  displayName: Type.String({ description: 'Name for people.' }),
  options: Type.Optional(Type.Array(Type.String(), { description: 'What a select or multiselect may hold.' })),
})
type WorkflowVariable = {
  value: unknown
  type: string
  required: boolean
  displayName: string
  options?: string[]
}

const TimeoutSeconds = Type.Union([Type.Integer({ minimum: 1, maximum: 86_400 }), Type.Null()], {
  description: 'Longest run time in seconds, pauses excluded; null for the default of the installation.',
})

export const WorkflowApiDto = Type.Object(
  {
    ...listFields,
    accountId: { ...Guid, description: 'The account that owns it.' },
    organizationId: { ...Guid, description: 'The organization of that account.' },
    variables: mapOf<WorkflowVariable>(WorkflowVariable, 'Variable name to value and declaration.'),
    chain: Type.Array(ChainApiDto, { description: 'The blocks, in order.' }),
    timeoutSeconds: TimeoutSeconds,
    webhook: Type.Object(
      {
        isActive: Type.Boolean({ description: 'Whether it takes requests.' }),
        url: Type.String({ description: 'Where others send requests to.' }),
      },
      { description: 'The webhook of the workflow.' },
    ),
    run: Type.Optional({ ...RunHistoryItem, description: 'Only with runNumber: the run history item of that run.' }),
  },
  { description: 'Workflow with its blocks and values, now or as of a run.' },
)

const WorkflowId = Type.Object({ id: Guid })
const GuidFilter = (description: string) => Type.Optional(Type.Array(Guid, { maxItems: 1000, description }))

// An answer can be posted back as it is: what a client cannot change is accepted whatever it holds, and has no effect.
const readOnly = Type.Optional(Type.Unknown({ description: 'Read-only: accepted and ignored.' }))

const ChainElement = Type.Object(
  {
    uniqueBlockId: Type.Optional(Guid),
    no: Type.Optional(Type.Integer({ description: 'Another position moves the block (unbound workflows only).' })),
    blockName: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    blockTemplateId: Type.Optional(Type.Union([Guid, Type.Null()])),
    applicationShortName: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Null()])),
    script: Type.Optional(Type.String({ description: 'The body of an async function.' })),
    dataSources: Type.Optional(Type.Array(Guid, { maxItems: 500 })),
    variables: Type.Optional(
      mapOf<unknown>(
        {},
        'Variable name to {variableSource: Value, value} or {variableSource: Workflow, variableName}.',
      ),
    ),
    isDeleted: Type.Optional(Type.Boolean({ description: 'Removes the block (unbound workflows only).' })),
    isCustomized: readOnly,
    status: readOnly,
    startDateTimeUTC: readOnly,
    endDateTimeUTC: readOnly,
  },
  { additionalProperties: false },
)

const WorkflowInput = Type.Object(
  {
    workflowTemplateId: Type.Optional(
      Type.Union([Guid, Type.Null()], { description: 'The template to create from; has no effect on an update.' }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    applications: Type.Optional(
      mapOf<unknown>(
        {},
        'Application short name to the GUID of a registered application; null takes the mapping away.',
      ),
    ),
    variables: Type.Optional(mapOf<unknown>({}, 'Variable name to {value} or to a bare value.')),
    unboundFromTemplate: Type.Optional(
      Type.Boolean({ default: false, description: 'Detaches the workflow from its template, for good.' }),
    ),
    chain: Type.Optional(Type.Array(ChainElement, { maxItems: 500 })),
    timeoutSeconds: Type.Optional(TimeoutSeconds),
    id: readOnly,
    accountId: readOnly,
    organizationId: readOnly,
    workflowState: readOnly,
    templateVersion: readOnly,
    isCustomizedStructure: readOnly,
    isScheduled: readOnly,
    scheduleFrequency: readOnly,
    nextRunDateTimeUTC: readOnly,
    isAutoRunPaused: readOnly,
    isWebhookActive: readOnly,
    dateLastRunUTC: readOnly,
    lastRunNumber: readOnly,
    lastRunStatus: readOnly,
    tags: readOnly,
    createDateTimeUTC: readOnly,
    modifyDateTimeUTC: readOnly,
    webhook: readOnly,
    run: readOnly,
  },
  { additionalProperties: false },
)

export const listWorkflows = operation({
  name: 'Workflows',
  method: 'GET',
  path: '/api/Workflows',
  description: 'Every workflow of the account that is in development or deployed.',
  answers: { 200: Type.Array(WorkflowListApiDto) },
})

export const searchWorkflows = operation({
  name: 'WorkflowsSearch',
  method: 'POST',
  path: '/api/Workflows',
  description: 'Search the workflows of the account, archived ones included.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      searchTerm: Type.Optional({
        ...SearchTerm,
        description: 'Looked for in name and description, without regard to case; % and _ are ordinary characters.',
      }),
      appIds: GuidFilter('Only workflows that use one of these applications.'),
      regAppIds: GuidFilter('Only workflows that use one of these registered applications.'),
      blockTemplateIds: GuidFilter('Only workflows with a block made from one of these block templates.'),
      workflowTemplateId: Type.Optional({ ...Guid, description: 'Only workflows made from this template.' }),
      workflowState: Type.Optional(Type.Array(WorkflowState, { maxItems: 10 })),
      tags: Type.Optional(TagFilter),
      isScheduled: Type.Optional(Type.Boolean()),
      isAutoRunPaused: Type.Optional(Type.Boolean()),
      isWebhookActive: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ workflows: Type.Array(WorkflowListApiDto), total: Type.Integer() }) },
  example: { body: { page: 0, size: 20, searchTerm: 'orders', workflowState: ['deployed'], isScheduled: true } },
})

export const getWorkflow = operation({
  name: 'Workflow',
  method: 'GET',
  path: '/api/Workflow/:id',
  description: 'A workflow with its blocks and values; with runNumber as they were at that run.',
  params: WorkflowId,
  query: Type.Object({
    runNumber: Type.Optional(Type.Integer({ minimum: 0, description: 'Loads the state as of this run.' })),
  }),
  answers: { 200: WorkflowApiDto },
  refuses: ['not_found'],
})

export const createWorkflow = operation({
  name: 'WorkflowCreate',
  method: 'POST',
  path: '/api/Workflow',
  description: 'Create a workflow from a template, or a custom one from a chain of blocks.',
  changesState: true,
  body: WorkflowInput,
  answers: { 200: Guid },
  refuses: ['not_found', 'workflow_invalid', 'cannot_be_stored'],
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

export const updateWorkflow = operation({
  name: 'WorkflowUpdate',
  method: 'POST',
  path: '/api/Workflow/:id',
  description: 'Change a workflow. Blocks are named by uniqueBlockId; what is not named stays as it is.',
  changesState: true,
  params: WorkflowId,
  body: WorkflowInput,
  answers: { 200: null },
  refuses: ['not_found', 'workflow_invalid', 'workflow_not_deployable', 'cannot_be_stored'],
  example: { body: { name: 'Hello again', variables: { who: 'everyone' } } },
})

export const deployWorkflow = operation({
  name: 'DeployWorkflow',
  method: 'GET',
  path: '/api/DeployWorkflow/:id',
  description: 'Check the workflow and let it run.',
  changesState: true,
  params: WorkflowId,
  answers: { 200: Guid },
  refuses: ['not_found', 'workflow_not_deployable'],
})

export const archiveWorkflow = operation({
  name: 'ArchiveWorkflow',
  method: 'GET',
  path: '/api/ArchiveWorkflow/:id',
  description: 'Stop schedule and webhook and hide the workflow; its history stays readable.',
  changesState: true,
  params: WorkflowId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const deleteWorkflow = operation({
  name: 'DeleteWorkflow',
  method: 'GET',
  path: '/api/DeleteWorkflow/:id',
  description: 'Remove the workflow for good, with its history, vault entries, queue and settings.',
  changesState: true,
  params: WorkflowId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})
