// Which workflows somebody means: of one account, or of every account they may act for.
import { Type } from 'typebox'
import { runStatuses } from './client-values.ts'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size, TagFilter } from './paging.ts'
import { AcrossAccounts } from './statistics.ts'
import { WorkflowListApiDto, WorkflowState } from './workflow-records.ts'

const GuidFilter = (description: string) => Type.Optional(Type.Array(Guid, { maxItems: 1000, description }))

/** Fields of an item that the list can be ordered by. */
export const workflowOrderFields = [
  'createDateTimeUTC',
  'modifyDateTimeUTC',
  'name',
  'accountName',
  'accountEmail',
  'workflowTemplateId',
  'templateVersion',
  'workflowState',
  'dateLastRunUTC',
  'lastRunStatus',
  'nextRunDateTimeUTC',
  'failingSinceDateTimeUTC',
  'queued',
  'failedItems',
] as const

const LastRunStatus = Type.Enum([...runStatuses])

/** The same conditions choose workflows for BulkAction. */
export const workflowFilterFields = {
  acrossAccounts: Type.Optional(AcrossAccounts),
  searchTerm: Type.Optional({
    ...SearchTerm,
    description:
      'Looked for in name and description, with acrossAccounts also in name and e-mail address of the account, without regard to case; % and _ are ordinary characters.',
  }),
  appIds: GuidFilter('Only workflows that use one of these applications.'),
  regAppIds: GuidFilter('Only workflows that use one of these registered applications.'),
  blockTemplateIds: GuidFilter('Only workflows with a block made from one of these block templates.'),
  workflowTemplateId: Type.Optional({ ...Guid, description: 'Only workflows made from this template.' }),
  templateVersion: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only workflows made from this version of their template.',
    }),
  ),
  workflowState: Type.Optional(Type.Array(WorkflowState, { maxItems: 10 })),
  lastRunStatus: Type.Optional(
    Type.Union([LastRunStatus, Type.Array(LastRunStatus, { maxItems: 10 })], {
      description: 'Only workflows whose latest run has this status, or one of these.',
    }),
  ),
  tags: Type.Optional(TagFilter),
  isScheduled: Type.Optional(Type.Boolean()),
  isAutoRunPaused: Type.Optional(Type.Boolean()),
  isWebhookActive: Type.Optional(Type.Boolean()),
}

export const searchWorkflows = operation({
  name: 'WorkflowsSearch',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/Workflows',
  description: 'Search the workflows of the account, or of all accounts, archived ones included.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      ...workflowFilterFields,
      orderField: Type.Optional(
        Type.Enum([...workflowOrderFields], {
          default: 'createDateTimeUTC',
          description: 'The field to order by. Workflows without a value come last.',
        }),
      ),
      orderByAsc: Type.Optional(Type.Boolean({ default: true })),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ workflows: Type.Array(WorkflowListApiDto), total: Type.Integer() }) },
  example: { body: { page: 0, size: 20, searchTerm: 'orders', workflowState: ['deployed'], isScheduled: true } },
})
