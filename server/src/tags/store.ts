import type { EntityType } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

/** False when it was there already. */
export async function insertTag(
  tx: Queryable,
  organizationId: string,
  type: EntityType,
  entityId: string,
  value: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    insert into tags (organization_id, entity_type, entity_id, value) values (${organizationId}, ${type}, ${entityId}, ${value})
    on conflict do nothing`)
  return rowCount > 0
}

/** False when there was none. */
export async function deleteTag(
  tx: Queryable,
  organizationId: string,
  type: EntityType,
  entityId: string,
  value: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    delete from tags where organization_id = ${organizationId} and entity_type = ${type} and entity_id = ${entityId} and value = ${value}`)
  return rowCount > 0
}
