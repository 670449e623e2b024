// An organization's own items, taken away again. Shipped ones are nobody's to delete.
import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'

const Id = Type.Object({ id: Guid })

export const deleteApplication = operation({
  name: 'DeleteApplication',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteApplication/:id',
  description:
    'Delete an application of the organization, unless a registered application, a workflow that is not archived or another item uses it.',
  changesState: true,
  audit: 'application.deleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'catalog_item_in_use'],
})

export const deleteBlockTemplate = operation({
  name: 'DeleteBlockTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteBlockTemplate/:id',
  description:
    'Delete a block template of the organization with its draft and every version, unless a workflow that is not archived or a workflow template uses it.',
  changesState: true,
  audit: 'blockTemplate.deleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'catalog_item_in_use'],
})

export const deleteWorkflowTemplate = operation({
  name: 'DeleteWorkflowTemplate',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteWorkflowTemplate/:id',
  description:
    'Delete a workflow template of the organization with its draft and every version, unless a workflow that is not archived was made from it.',
  changesState: true,
  audit: 'workflowTemplate.deleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'catalog_item_in_use'],
})

export const deleteFunction = operation({
  name: 'DeleteFunction',
  feature: 'Catalogue',
  method: 'GET',
  path: '/api/DeleteFunction/:id',
  description:
    'Delete a library function of the organization, unless a script of a workflow that is not archived or of another item calls it.',
  changesState: true,
  audit: 'function.deleted',
  lowestRole: 'DevPartner',
  params: Id,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low', 'not_the_creator', 'catalog_item_in_use'],
})
