import { Type } from 'typebox'
import { bulkActions, bulkWorkflowsMax } from './client-values.ts'
import { AccountName, Guid } from './ids.ts'
import { operation } from './operation.ts'
import { workflowFilterFields } from './workflow-search.ts'

export const bulkAction = operation({
  name: 'BulkAction',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/BulkAction',
  description:
    'Do the same to many workflows, of all accounts the caller may act for. One that is refused does not stop the others. With dryRun, nothing changes and the response says what would.',
  changesState: true,
  // Retries have no row: the history of runs says who started each.
  audit: ['workflow.paused', 'workflow.resumed', 'workflow.deployed', 'tag.added'],
  body: Type.Object(
    {
      action: Type.Enum([...bulkActions], {
        description:
          'retryFailed retries the latest run where it failed; pause holds automatic runs until resume; tag adds the tag.',
      }),
      workflowIds: Type.Optional(
        Type.Array(Guid, { minItems: 1, maxItems: bulkWorkflowsMax, description: 'These workflows.' }),
      ),
      filter: Type.Optional(
        Type.Object(workflowFilterFields, {
          additionalProperties: false,
          description: `In place of workflowIds: what WorkflowsSearch finds, at most ${bulkWorkflowsMax}.`,
        }),
      ),
      tag: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Required with the action tag.' })),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          workflowId: Guid,
          workflowName: Type.String(),
          accountId: Guid,
          accountName: AccountName,
          accountEmail: Type.String(),
          outcome: Type.Enum(['done', 'unchanged', 'refused'], {
            description: 'With dryRun: what it would be.',
          }),
          message: Type.String({ description: 'What happened or would happen, or why nothing does.' }),
          runNumber: Type.Optional(Type.Integer({ description: 'With retryFailed: the run that retries.' })),
        }),
      ),
      done: Type.Integer(),
      unchanged: Type.Integer(),
      refused: Type.Integer(),
    }),
  },
  refuses: ['not_found'],
  example: { body: { action: 'retryFailed', filter: { acrossAccounts: true, lastRunStatus: 'Error' }, dryRun: true } },
})
