import { Type } from 'typebox'
import { Name } from './names.ts'
import { operation } from './operation.ts'

// The position is the number that the interface gives the type.
export const entityTypes = [
  'account',
  'registeredApp',
  'workflow',
  'application',
  'blockTemplate',
  'workflowTemplate',
  'organization',
  'role',
] as const
export type EntityType = (typeof entityTypes)[number]

const TagTarget = Type.Object({
  entityType: Type.String({ description: 'A name without regard to case, or its number: account (0) … role (7).' }),
  // Judged after the type, so that an unknown type is named even when the id is wrong as well.
  entityId: Type.String({ minLength: 1, title: 'GUID', description: 'Id of the entity.' }),
})

const TagValue = Type.Object({ value: { ...Name, description: 'Case-sensitive.' } }, { additionalProperties: false })

export const addTag = operation({
  name: 'AttributeTagAdd',
  feature: 'Tags',
  method: 'POST',
  path: '/api/AttributeTagAdd/:entityType/:entityId',
  description: 'Attach a tag to an entity.',
  changesState: true,
  audit: 'tag.added',
  params: TagTarget,
  body: TagValue,
  answers: { 200: null },
  refuses: ['entity_type_unknown', 'not_found', 'role_too_low'],
  example: { body: { value: 'pilot' } },
})

export const deleteTag = operation({
  name: 'AttributeTagDelete',
  feature: 'Tags',
  method: 'POST',
  path: '/api/AttributeTagDelete/:entityType/:entityId',
  description: 'Remove a tag. Removing a tag that is not there succeeds too.',
  changesState: true,
  audit: 'tag.removed',
  params: TagTarget,
  malformedPathIs: 400,
  body: TagValue,
  answers: { 200: null },
  refuses: ['entity_type_unknown', 'tagged_entity_not_found', 'role_too_low'],
  example: { body: { value: 'pilot' } },
})
