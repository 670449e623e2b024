// What answers show of workflows; GET and POST share the names of the fields.
import { Type } from 'typebox'
import { flowAnswerFields } from './chain-flow.ts'
import { workflowStates } from './client-values.ts'
import { AccountName, Guid, Timestamp } from './ids.ts'
import { RunHistoryItem } from './runs.ts'

export type WorkflowStateName = (typeof workflowStates)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** An object whose keys are names that somebody chose. */
export const mapOf = <Value>(values: object, description: string) =>
  Type.Unsafe<Record<string, Value>>({ type: 'object', additionalProperties: values, description })

export const WorkflowState = Type.Enum([...workflowStates], { description: 'inDevelopment, deployed or archived.' })

export const VariableBinding = Type.Object({
  variableSource: Type.String({ description: 'Value or Workflow.' }),
  value: Type.Optional(Type.Unknown({ description: 'With Value: the value itself; passwords are masked.' })),
  variableName: Type.Optional(
    Type.String({ description: 'With Workflow: the workflow variable that gives the value.' }),
  ),
  type: Type.Optional(Type.String({ description: 'Only where the block itself says it, not its template.' })),
})
type VariableBinding = { variableSource: string; value?: unknown; variableName?: string; type?: string }

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
    ...flowAnswerFields,
    isCustomized: Type.Boolean({ description: 'Whether the block differs from its template.' }),
    status: Type.Optional(
      Type.String({
        description: 'Only with runNumber: Ready, Error, Skipped, or Pending while the run is in progress.',
      }),
    ),
    startDateTimeUTC: Type.Optional(orNull(Timestamp, 'Only with runNumber: when the block started.')),
    endDateTimeUTC: Type.Optional(orNull(Timestamp, 'Only with runNumber: when the block ended.')),
    tries: Type.Optional(Type.Integer({ description: 'Only with runNumber: how often the block was tried.' })),
    childRun: Type.Optional(
      orNull(
        Type.Object({ workflowId: Guid, runNumber: Type.Integer() }),
        'Only with runNumber: the run that it started.',
      ),
    ),
  },
  { description: 'One block of a workflow.' },
)

const listFields = {
  id: { ...Guid, description: 'Id of the workflow.' },
  name: Type.String({ description: 'Name of the workflow.' }),
  description: Type.String({ description: 'What the workflow is for.' }),
  workflowState: WorkflowState,
  revision: Type.Integer({ description: 'Number of the newest revision.' }),
  workflowTemplateId: orNull(Guid, 'The template it was made from; null for a custom workflow.'),
  templateVersion: orNull(Type.String(), 'Version of that template at the time; null for drafts and custom workflows.'),
  isCustomizedStructure: Type.Boolean({ description: 'Whether the workflow is unbound from its template.' }),
  applications: mapOf<string>(Guid, 'Application short name to the id of the registered application.'),
  isScheduled: Type.Boolean({ description: 'Whether the scheduler runs it.' }),
  scheduleFrequency: orNull(Type.String(), 'Five cron fields, or hourly, daily, weekly, monthly.'),
  timeZone: orNull(Type.String(), 'The IANA time zone of the schedule; null for UTC.'),
  nextRunDateTimeUTC: orNull(Timestamp, 'When the scheduler runs it next.'),
  isAutoRunPaused: Type.Boolean({
    description: 'Whether automatic runs are paused: after repeated failures, or while a connection is faulted.',
  }),
  isWebhookActive: Type.Boolean({ description: 'Whether its webhook accepts requests.' }),
  dateLastRunUTC: orNull(Timestamp, 'Start of the last run that completed.'),
  lastRunNumber: orNull(Type.Integer(), 'Number of the latest run.'),
  lastRunStatus: orNull(Type.String(), 'Status of the latest run.'),
  tags: Type.Array(Type.String(), { description: 'Tags of the workflow.' }),
  createDateTimeUTC: { ...Timestamp, description: 'When it was created.' },
  modifyDateTimeUTC: { ...Timestamp, description: 'When it was last changed.' },
}

export const WorkflowListApiDto = Type.Object(
  {
    ...listFields,
    accountId: Type.Optional({ ...Guid, description: 'Only with acrossAccounts: the account that owns it.' }),
    accountName: Type.Optional(AccountName),
    accountEmail: Type.Optional(Type.String({ description: 'Only with acrossAccounts: its e-mail address.' })),
    failingSinceDateTimeUTC: Type.Optional(
      orNull(Timestamp, 'Only with acrossAccounts: since when its runs fail; null while they do not.'),
    ),
    queued: Type.Optional(Type.Integer({ description: 'Only with acrossAccounts: webhook requests in its queue.' })),
    failedItems: Type.Optional(Type.Integer({ description: 'Only with acrossAccounts: failed items still open.' })),
  },
  { description: 'Workflow summary.' },
)

export const WorkflowVariable = Type.Object({
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

export const TimeoutSeconds = Type.Union([Type.Integer({ minimum: 1, maximum: 86_400 }), Type.Null()], {
  description:
    'Maximum run time in seconds, not counting waits (`sleep`, `Retry-After`); null for the default of the installation.',
})

export const replayRunsDefault = 20
export const ReplayRuns = Type.Integer({
  minimum: 0,
  maximum: 200,
  description:
    'How many of the newest runs are recorded for replay: their inputs, what applications answered and what the vault held. 0 records none.',
})

export const RecordCallBodies = Type.Boolean({
  description: 'Whether runs also keep the bodies of the calls of their blocks, as GetBlockCalls shows them.',
})

export const OutputBlock = Type.Union([Guid, Type.Null()], {
  description: 'The block whose result is the result of a run; null for the last one of the chain.',
})

export const WorkflowApiDto = Type.Object(
  {
    ...listFields,
    revision: Type.Integer({ description: 'Number of the revision shown; also in the header ETag.' }),
    accountId: { ...Guid, description: 'The account that owns it.' },
    organizationId: { ...Guid, description: 'The organization of that account.' },
    variables: mapOf<WorkflowVariable>(WorkflowVariable, 'Variable name to value and declaration.'),
    chain: Type.Array(ChainApiDto, { description: 'The blocks, in order.' }),
    timeoutSeconds: TimeoutSeconds,
    recordCallBodies: RecordCallBodies,
    replayRuns: ReplayRuns,
    outputBlock: OutputBlock,
    warnings: orNull(
      Type.Array(Type.String()),
      'What is allowed and yet hardly meant, naming the block; null when there is nothing.',
    ),
    webhook: Type.Object(
      {
        isActive: Type.Boolean({ description: 'Whether it accepts requests.' }),
        url: Type.String({ description: 'Address to which others send requests.' }),
      },
      { description: 'The webhook of the workflow.' },
    ),
    run: Type.Optional({ ...RunHistoryItem, description: 'Only with runNumber: the run history item of that run.' }),
  },
  { description: 'Workflow with its blocks and values, now or as of a run.' },
)
