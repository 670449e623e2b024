// Tags on entities of every kind. What an entity is and who may tag it, its own feature says, through a `Taggable`.
import { type EntityType, entityTypes, isGuid, type RoleName } from '@patchbay/contract'
import { type Principal, requireRank, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { deleteTag, insertTag } from './store.ts'

export type Taggable = {
  /** The lowest role that may tag it; a function because it may depend on whose it is. */
  lowestRole(principal: Principal, entityId: string): RoleName
  exists(principal: Principal, entityId: string): Promise<boolean> | boolean
}

export type TagDeps = { database: Database; taggables: Partial<Record<EntityType, Taggable>> }

type Change = { entityType: string; entityId: string; value: string }

export async function addTag(deps: TagDeps, principal: Principal, change: Change): Promise<undefined> {
  const type = readEntityType(change.entityType)
  const id = change.entityId.toLowerCase()
  if (!(await mayTag(deps, principal, type, id))) throw notFound(type)
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const isNew = await insertTag(tx, {
      organizationId: principal.account.organizationId,
      type,
      entityId: id,
      value: change.value,
    })
    if (isNew)
      await recordAudit(tx, actorOf(principal), {
        action: 'tag.added',
        target: id,
        details: { entityType: type, value: change.value },
      })
  })
}

export async function removeTag(deps: TagDeps, principal: Principal, change: Change): Promise<undefined> {
  const type = readEntityType(change.entityType)
  const id = change.entityId.toLowerCase()
  if (!(await mayTag(deps, principal, type, id))) {
    throw new AppError('tagged_entity_not_found', `The ${type} was not found, or you have no access to it.`)
  }
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const wasThere = await deleteTag(tx, {
      organizationId: principal.account.organizationId,
      type,
      entityId: id,
      value: change.value,
    })
    if (wasThere)
      await recordAudit(tx, actorOf(principal), {
        action: 'tag.removed',
        target: id,
        details: { entityType: type, value: change.value },
      })
  })
}

/** The role is judged before the entity is looked for, so that a refusal tells nothing of what exists. */
async function mayTag(deps: TagDeps, principal: Principal, type: EntityType, entityId: string): Promise<boolean> {
  const taggable = deps.taggables[type]
  if (!taggable || !isGuid(entityId)) return false
  requireRank(principal, taggable.lowestRole(principal, entityId))
  return taggable.exists(principal, entityId)
}

function readEntityType(text: string): EntityType {
  const type = entityTypes.find((name, number) => name.toLowerCase() === text.toLowerCase() || String(number) === text)
  if (!type) {
    throw new AppError(
      'entity_type_unknown',
      `The path parameter entityType must be one of ${entityTypes.map((name, number) => `${name} (${number})`).join(', ')}.`,
    )
  }
  return type
}
