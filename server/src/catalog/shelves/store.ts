import { listSizeMax } from '@patchbay/contract'
import { inOrder, type Queryable, sql } from '../../db/index.ts'
import type { Application, BlockTemplate, LibraryFunction, WorkflowTemplate } from '../format/definition.ts'

export type ItemKind = 'application' | 'blockTemplate' | 'workflowTemplate' | 'function'
export type TemplateKind = 'blockTemplate' | 'workflowTemplate'
export type Item = Application | BlockTemplate | WorkflowTemplate | LibraryFunction

/** `definition` is JSON text: what is remembered is measured by it, and what did not change is seen by it. */
export type StoredItem = {
  kind: ItemKind
  id: string
  revision: number
  version: string | null
  definition: string
  /** The block templates of a published workflow template, also JSON text; null for everything else. */
  pinned: string | null
  /** Of an application: how often the place its credentials go to has changed. */
  credentialEpoch: number
}

type ItemRow = Omit<StoredItem, 'credentialEpoch'> & { credential_epoch: number; stamp: number }

export function parseItem({ kind, definition, pinned, credential_epoch: credentialEpoch }: ItemRow): Item {
  const item = JSON.parse(definition) as Item
  if (kind === 'application') return { ...(item as Application), credentialEpoch }
  return pinned === null ? item : { ...item, pinned: JSON.parse(pinned) as BlockTemplate[] }
}

/** Null when the organization never had an item of its own. */
export async function findStamp(db: Queryable, organizationId: string): Promise<number | null> {
  const { rows } = await db.query<{ stamp: number }>(
    sql`select stamp from catalog_stamps where organization_id = ${organizationId}`,
  )
  return rows[0]?.stamp ?? null
}

/** Everything that changes items does this first: changes of one organization then happen one after the other, and what they write bears the stamp. */
export async function raiseStamp(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(sql`
    insert into catalog_stamps (organization_id, stamp) values (${organizationId}, 1)
    on conflict (organization_id) do update set stamp = catalog_stamps.stamp + 1`)
}

/** Of every item the draft and the newest published revision. */
export async function listInUse(db: Queryable, organizationId: string): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>(sql`
    select distinct on (kind, id, revision = 0) kind, id, revision, version, definition::text as definition, pinned::text as pinned,
      credential_epoch, stamp
    from catalog_items where organization_id = ${organizationId}
    order by kind, id, revision = 0, revision desc`)
  return rows
}

export async function findVersion(
  db: Queryable,
  organizationId: string,
  { kind, id, version }: { kind: TemplateKind; id: string; version: string },
): Promise<ItemRow | undefined> {
  const { rows } = await db.query<ItemRow>(sql`
    select kind, id, revision, version, definition::text as definition, pinned::text as pinned, credential_epoch, stamp from catalog_items
    where organization_id = ${organizationId} and kind = ${kind} and id = ${id} and version = ${version}`)
  return rows[0]
}

/** The organization's functions as they were at a stamp; one that is younger, as it is now. */
export async function listFunctionsAt(
  db: Queryable,
  organizationId: string,
  stamp: number,
): Promise<LibraryFunction[]> {
  const { rows } = await db.query<{ definition: LibraryFunction }>(sql`
    select distinct on (id) definition from catalog_items where organization_id = ${organizationId} and kind = 'function'
    order by id, stamp <= ${stamp} desc, revision desc`)
  return rows.map(({ definition }) => definition)
}

/** Newest first; without the draft. */
export async function listVersions(db: Queryable, organizationId: string, kind: TemplateKind, id: string) {
  const { rows } = await db.query<{ version: string; created_at: Date }>(sql`
    select version, created_at from catalog_items
    where organization_id = ${organizationId} and kind = ${kind} and id = ${id} and revision > 0 order by revision desc
    limit ${listSizeMax}`)
  return rows.map((row) => ({ version: row.version, createDateTimeUTC: row.created_at.toISOString() }))
}

/** `definition` only where the version was asked for. */
export type KnownVersion = {
  kind: ItemKind
  id: string
  revision: number
  version: string | null
  definition: string | null
}

/** Which versions the given items have, drafts not counted. */
export async function listKnownVersions(
  db: Queryable,
  organizationId: string,
  given: readonly { id: string; version: string | null }[],
): Promise<KnownVersion[]> {
  const { rows } = await db.query<KnownVersion>(sql`
    select kind, id, revision, stored.version, case when given.version = stored.version then definition::text end as definition
    from catalog_items stored
    join unnest(${given.map((item) => item.id)}::uuid[], ${given.map((item) => item.version)}::text[]) as given (id, version) using (id)
    where organization_id = ${organizationId} and revision > 0`)
  return rows
}

/** Only a draft can be there already; the database refuses to change anything that is published. */
export async function writeItems(
  tx: Queryable,
  organizationId: string,
  accountId: string,
  items: StoredItem[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(sql`
    insert into catalog_items (organization_id, created_by, kind, id, revision, version, definition, pinned, credential_epoch, stamp)
    select ${organizationId}, ${accountId}, kind, id, revision, version, definition::json, pinned::json, credential_epoch,
      (select stamp from catalog_stamps where organization_id = ${organizationId})
    from unnest(${items.map((item) => item.kind)}::text[], ${items.map((item) => item.id)}::uuid[],
                ${items.map((item) => item.revision)}::integer[], ${items.map((item) => item.version)}::text[],
                ${items.map((item) => item.definition)}::text[], ${items.map((item) => item.pinned)}::text[],
                ${items.map((item) => item.credentialEpoch)}::integer[])
      as given (kind, id, revision, version, definition, pinned, credential_epoch)
    on conflict (organization_id, kind, id, revision) do update
      set definition = excluded.definition, created_by = excluded.created_by, created_at = now(), stamp = excluded.stamp`)
}

/** The item as a whole: its draft and everything that was published of it. False when there is none. */
export async function deleteItem(tx: Queryable, organizationId: string, kind: ItemKind, id: string): Promise<boolean> {
  const [, { rowCount }] = await inOrder(tx, [
    (db) => db.query(sql`select set_config('patchbay.deleted_item', ${id}, true)`),
    (db) =>
      db.query(
        sql`delete from catalog_items where organization_id = ${organizationId} and kind = ${kind} and id = ${id}`,
      ),
    (db) =>
      db.query(
        sql`delete from catalog_owners where organization_id = ${organizationId} and kind = ${kind} and id = ${id}`,
      ),
    (db) =>
      db.query(
        sql`delete from tags where organization_id = ${organizationId} and entity_type = ${kind} and entity_id = ${id}`,
      ),
  ])
  return rowCount > 0
}

/** Waits for a change of the organization's items that is under way, and keeps the next one waiting until the transaction ends. */
export async function holdItems(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(sql`select from catalog_stamps where organization_id = ${organizationId} for share`)
}

export async function hasItem(tx: Queryable, organizationId: string, kind: ItemKind, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql`select from catalog_items where organization_id = ${organizationId} and kind = ${kind} and id = ${id} limit 1`,
  )
  return rowCount > 0
}

export async function deleteDraft(
  tx: Queryable,
  organizationId: string,
  kind: TemplateKind,
  id: string,
): Promise<boolean> {
  const [{ rowCount }] = await inOrder(tx, [
    (db) =>
      db.query(sql`
      delete from catalog_items where organization_id = ${organizationId} and kind = ${kind} and id = ${id} and revision = 0`),
    // What is gone as a whole belongs to nobody any more.
    (db) =>
      db.query(sql`
      delete from catalog_owners o where organization_id = ${organizationId} and kind = ${kind} and id = ${id}
        and not exists (select from catalog_items i where i.organization_id = o.organization_id and i.kind = o.kind and i.id = o.id)`),
  ])
  return rowCount > 0
}
