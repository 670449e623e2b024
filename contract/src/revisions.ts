import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'

export const revisionReasons = ['Created', 'Updated', 'Restored', 'Upgraded', 'RolledBack'] as const
export type RevisionReason = (typeof revisionReasons)[number]

export const Revision = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a revision.' })

const WorkflowId = Type.Object({ workflowId: Guid })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const WorkflowRevision = Type.Object({
  revision: Revision,
  createDateTimeUTC: { ...Timestamp, description: 'When it was saved.' },
  accountId: orNull(Guid, 'The account that saved it: the caller, not the managed account.'),
  email: orNull(Type.String(), 'E-mail address of that account.'),
  reason: Type.Enum([...revisionReasons], { description: 'Created, Updated, Restored, Upgraded or RolledBack.' }),
  templateVersion: orNull(Type.String(), 'The version of the template it follows.'),
  isCurrent: Type.Boolean({ description: 'Whether it is the newest revision, which the next run takes.' }),
})

export const listRevisions = operation({
  name: 'WorkflowRevisions',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/WorkflowRevisions/:workflowId',
  description: 'The revisions of a workflow, newest first. Every saved change of its definition makes one.',
  params: WorkflowId,
  body: Type.Object({ page: Type.Optional(Page), size: Type.Optional(Size) }, { additionalProperties: false }),
  answers: { 200: Type.Object({ items: Type.Array(WorkflowRevision), total: Type.Integer() }) },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 20 } },
})

const Value = (description: string) => Type.Unknown({ description })
const fieldChange = {
  name: Type.String(),
  from: Value('Before; null where there was nothing. Secrets are masked.'),
  to: Value('After; null where there is nothing. Secrets are masked.'),
}
export const FieldChange = Type.Object(fieldChange)
const EntryChange = Type.Enum(['added', 'removed', 'changed'])

export const BlockChange = Type.Object({
  uniqueBlockId: Guid,
  blockName: Type.String(),
  change: Type.Enum(['added', 'removed', 'changed', 'moved']),
  fields: Type.Array(FieldChange, {
    description: 'What changed. A variable of the block is the field variables.NAME.',
  }),
})

export const getWorkflowDifference = operation({
  name: 'WorkflowDifference',
  feature: 'Workflows',
  method: 'GET',
  path: '/api/WorkflowDifference/:workflowId',
  description: 'What changed between two revisions of a workflow.',
  params: WorkflowId,
  query: Type.Object({
    from: { ...Revision, description: 'The revision to compare with.' },
    to: { ...Revision, description: 'The revision to compare.' },
  }),
  answers: {
    200: Type.Object({
      from: Revision,
      to: Revision,
      fields: Type.Array(FieldChange),
      variables: Type.Array(
        Type.Object({
          ...fieldChange,
          change: EntryChange,
          fields: Type.Array(FieldChange, { description: 'What changed beside the value, its type for example.' }),
        }),
      ),
      applications: Type.Array(Type.Object({ ...fieldChange, change: EntryChange })),
      blocks: Type.Array(BlockChange),
    }),
  },
  refuses: ['not_found'],
})

export const restoreRevision = operation({
  name: 'RestoreRevision',
  feature: 'Workflows',
  method: 'POST',
  path: '/api/RestoreRevision/:workflowId',
  description: 'Make an earlier revision the newest one again. Returns the number of the new revision.',
  changesState: true,
  audit: 'workflow.restored',
  params: WorkflowId,
  body: Type.Object({ revision: Revision }, { additionalProperties: false }),
  answers: { 200: Type.Integer() },
  refuses: ['not_found', 'workflow_not_deployable', 'storage_full'],
  example: { body: { revision: 3 } },
})
