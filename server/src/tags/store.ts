import type { EntityType } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

type Tag = { organizationId: string; type: EntityType; entityId: string; value: string }

/** False when it was there already. */
export async function insertTag(tx: Queryable, { organizationId, type, entityId, value }: Tag): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    insert into tags (organization_id, entity_type, entity_id, value) values (${organizationId}, ${type}, ${entityId}, ${value})
    on conflict do nothing`)
  return rowCount > 0
}

/** False when there was none. */
export async function deleteTag(tx: Queryable, { organizationId, type, entityId, value }: Tag): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    delete from tags where organization_id = ${organizationId} and entity_type = ${type} and entity_id = ${entityId} and value = ${value}`)
  return rowCount > 0
}

/** The tags of these entities; one without tags is left out. */
export async function listTags(
  db: Queryable,
  organizationId: string,
  type: EntityType,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ entity_id: string; tags: string[] }>(sql`
    select entity_id, array_agg(value order by value) as tags from tags
    where organization_id = ${organizationId} and entity_type = ${type} and entity_id = any(${ids}::uuid[]) group by entity_id`)
  return new Map(rows.map((row) => [row.entity_id, row.tags]))
}
