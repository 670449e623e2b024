import type { EntityType } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

export async function insertTag(
  tx: Queryable,
  organizationId: string,
  type: EntityType,
  entityId: string,
  value: string,
): Promise<void> {
  await tx.query(sql`
    insert into tags (organization_id, entity_type, entity_id, value) values (${organizationId}, ${type}, ${entityId}, ${value})
    on conflict do nothing`)
}

export async function deleteTag(
  tx: Queryable,
  organizationId: string,
  type: EntityType,
  entityId: string,
  value: string,
): Promise<void> {
  await tx.query(sql`
    delete from tags where organization_id = ${organizationId} and entity_type = ${type} and entity_id = ${entityId} and value = ${value}`)
}
