import { Type } from 'typebox'
import { FormField } from './chain-flow.ts'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'
import { AcrossAccounts } from './statistics.ts'

/** Of the comment of a decision. */
export const commentCharactersMax = 2000

const NullableText = Type.Union([Type.String(), Type.Null()])
const FormValues = Type.Record(Type.String(), Type.Unknown(), { description: 'Values of the form, by short name.' })

export const Approval = Type.Object(
  {
    id: Guid,
    accountId: Guid,
    workflowId: Guid,
    workflowName: Type.String(),
    runNumber: Type.Integer({ description: 'The run that waits for it.' }),
    uniqueBlockId: { ...Guid, description: 'The block that waits for it.' },
    itemKey: Type.Union([Type.String(), Type.Null()], { description: 'The item that waits for it, if any.' }),
    title: Type.String(),
    message: NullableText,
    to: Type.Array(Type.String(), { description: 'Addresses that were sent a link.' }),
    form: Type.Array(FormField, { description: 'What is asked for together with an approval.' }),
    createDateTimeUTC: Timestamp,
    timeoutDateTimeUTC: Timestamp,
    outcome: Type.Union([Type.Enum(['approved', 'rejected', 'timedOut', 'resumed', 'stopped']), Type.Null()], {
      description:
        'Null while it is open. resumed: the run went on by its resume address; stopped: the run ended without waiting any longer.',
    }),
    decisions: Type.Array(
      Type.Object({
        by: Type.String({ description: 'Address that the link went to, or that of the account.' }),
        approved: Type.Boolean(),
        comment: NullableText,
        form: Type.Union([FormValues, Type.Null()]),
        dateTimeUTC: Timestamp,
      }),
    ),
  },
  { description: 'A run that waits for people to approve or reject.' },
)

export const listApprovals = operation({
  name: 'Approvals',
  feature: 'Runs',
  method: 'POST',
  path: '/api/Approvals',
  description: 'Approvals that runs wait or waited for, newest first.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      isOpen: Type.Optional(Type.Boolean({ description: 'Only open ones, or only closed ones.' })),
      acrossAccounts: Type.Optional(AcrossAccounts),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ items: Type.Array(Approval), total: Type.Integer() }) },
  example: { body: { page: 0, size: 50, isOpen: true } },
})

export const approvalAction = operation({
  name: 'ApprovalAction',
  feature: 'Runs',
  method: 'POST',
  path: '/api/ApprovalAction/:id',
  description:
    'Approve or reject. Each address counts once; after the decision, and for an address that has decided, the approval is returned as it is.',
  changesState: true,
  audit: ['approval.approved', 'approval.rejected'],
  params: Type.Object({ id: Guid }),
  body: Type.Object(
    {
      action: Type.Enum(['approve', 'reject']),
      comment: Type.Optional(Type.Union([Type.String({ maxLength: commentCharactersMax }), Type.Null()])),
      form: Type.Optional(Type.Union([FormValues, Type.Null()])),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Approval },
  refuses: ['not_found'],
  example: { body: { action: 'approve', comment: 'Looks good.' } },
})
