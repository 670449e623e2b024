import { Type } from 'typebox'
import { auditActions } from './audit-actions.ts'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  dateTimeUTC: Timestamp,
  accountId: Type.Union([Guid, Type.Null()], { description: 'Who did it; null for the service itself.' }),
  managedAccountId: Type.Union([Guid, Type.Null()], { description: 'The managed account acted for, if any.' }),
  keyId: Type.Union([Guid, Type.Null()]),
  address: Type.Union([Type.String(), Type.Null()]),
  action: Type.Enum([...auditActions], { description: 'What was done. Later versions may add actions.' }),
  target: Type.Union([Type.String(), Type.Null()]),
  details: Type.Unknown(),
  hash: Type.Union([Type.String(), Type.Null()], {
    description:
      'Covers this entry and the hash of the one before it; null for a few seconds after the entry was made.',
  }),
})

export const getAuditLog = operation({
  name: 'GetAuditLog',
  feature: 'Audit',
  method: 'POST',
  path: '/api/GetAuditLog',
  description: 'Who changed what, newest first.',
  lowestRole: 'Manager',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      searchFrom: Type.Optional(Timestamp),
      searchTo: Type.Optional(Timestamp),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ items: Type.Array(AuditEntry), total: Type.Integer() }) },
  example: { body: { page: 0, size: 50 } },
})
