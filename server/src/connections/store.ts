import { inOrder, type Queryable, type Scope, sql } from '../db/index.ts'

export type StoredConnection = {
  id: string
  organizationId: string
  accountId: string
  applicationId: string
  shortName: string
  name: string
  tagText: string
  isOAuth: boolean
  isAuthenticated: boolean
  sealedCredentials: Buffer
  /** Of the application when the credentials were given. */
  credentialEpoch: number
  faultMessage: string | null
  /** The provider refused to renew the token. */
  hasTokenFault: boolean
  faultedForMs: number | null
  unusedForMs: number
  quietForMs: number | null
  tokens: StoredTokens | undefined
}

export type StoredTokens = {
  generation: number
  sealed: Buffer | null
  /** Null: the provider did not say how long they last. */
  lifetimeMs: number | null
  leftMs: number | null
}

type Row = {
  id: string
  organization_id: string
  account_id: string
  application_id: string
  short_name: string
  name: string
  tag_text: string
  is_oauth: boolean
  is_authenticated: boolean
  sealed_credentials: Buffer
  credential_epoch: number
  fault_message: string | null
  has_token_fault: boolean
  faulted_for_ms: number | null
  unused_for_ms: number
  quiet_for_ms: number | null
  generation: number | null
  sealed_tokens: Buffer | null
  lifetime_ms: number | null
  left_ms: number | null
}

/** One statement for all that a call needs; times are differences, so that one clock alone, the database's, is believed. */
const wholeConnection = sql`
  select r.id, r.organization_id, r.account_id, r.application_id, r.short_name, r.name, r.tag_text, r.is_oauth, r.is_authenticated,
    r.sealed_credentials, r.credential_epoch, r.fault_message, r.fault_source is not distinct from 'token' as has_token_fault,
    (extract(epoch from now() - r.faulted_at) * 1000)::float8 as faulted_for_ms,
    (extract(epoch from now() - coalesce(r.last_used_at, r.modified_at)) * 1000)::float8 as unused_for_ms,
    (extract(epoch from r.quiet_until - now()) * 1000)::float8 as quiet_for_ms,
    t.generation, t.sealed_tokens, (extract(epoch from t.expires_at - t.obtained_at) * 1000)::float8 as lifetime_ms,
    (extract(epoch from t.expires_at - now()) * 1000)::float8 as left_ms
  from registered_applications r left join connection_tokens t on t.registered_application_id = r.id`

export async function findConnection(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<StoredConnection | undefined> {
  const { rows } = await db.query<Row>(sql`${wholeConnection} where r.account_id = ${accountId} and r.id = ${id}`)
  return rows[0] && toConnection(rows[0])
}

/** Those that are authenticated. Two are enough to know that there are several. */
export async function listByShortName(
  db: Queryable,
  accountId: string,
  shortName: string,
): Promise<StoredConnection[]> {
  const { rows } = await db.query<Row>(sql`${wholeConnection}
    where r.account_id = ${accountId} and lower(r.short_name) = lower(${shortName}) and r.is_authenticated order by r.id limit 2`)
  return rows.map(toConnection)
}

/** One that is not authenticated, with the reason where there is one. */
export async function findWaiting(
  db: Queryable,
  accountId: string,
  shortName: string,
): Promise<{ faultMessage: string | null } | undefined> {
  const { rows } = await db.query<{ fault_message: string | null }>(sql`
    select fault_message from registered_applications
    where account_id = ${accountId} and lower(short_name) = lower(${shortName}) and not is_authenticated
    order by fault_message is null limit 1`)
  return rows[0] && { faultMessage: rows[0].fault_message }
}

export async function listConnections(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<StoredConnection[]> {
  const { rows } = await db.query<Row>(
    sql`${wholeConnection} where r.account_id = ${accountId} and r.id = any(${ids}::uuid[])`,
  )
  return rows.map(toConnection)
}

export async function lockConnection(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql`select from registered_applications where account_id = ${accountId} and id = ${id} for update`,
  )
  return rowCount > 0
}

export type NewConnection = {
  id: string
  scope: Scope
  applicationId: string
  shortName: string
  name: string
  tagText: string
  isOAuth: boolean
  isAuthenticated: boolean
  sealedCredentials: Buffer
  credentialEpoch: number
  /** What the first test request said, when it could not be made. */
  faultMessage: string | null
  checkInMs: number | null
}

export async function insertConnection(tx: Queryable, made: NewConnection): Promise<void> {
  await tx.query(sql`
    insert into registered_applications (id, organization_id, account_id, application_id, short_name, name, tag_text, is_oauth,
      is_authenticated, sealed_credentials, credential_epoch, fault_message, fault_source, faulted_at, next_check_at)
    values (${made.id}, ${made.scope.organizationId}, ${made.scope.accountId}, ${made.applicationId}, ${made.shortName}, ${made.name},
      ${made.tagText}, ${made.isOAuth}, ${made.isAuthenticated}, ${made.sealedCredentials}, ${made.credentialEpoch}, ${made.faultMessage},
      ${made.faultMessage === null ? null : 'target'}, case when ${made.faultMessage !== null} then now() end,
      now() + ${made.checkInMs}::float8 * interval '1 millisecond')`)
}

/** Instances of an application in every account of the organization; only a connection that sees them all tells all. */
export async function listInstances(db: Queryable, organizationId: string, applicationId: string) {
  const { rows } = await db.query<{ id: string; account_id: string; created_by: string | null }>(sql`
    select r.id, r.account_id, a.created_by from registered_applications r join accounts a on a.id = r.account_id
    where r.organization_id = ${organizationId} and r.application_id = ${applicationId} order by r.id`)
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, accountCreatedBy: row.created_by }))
}

export async function updateTagText(tx: Queryable, accountId: string, id: string, tagText: string): Promise<void> {
  await tx.query(sql`
    update registered_applications set tag_text = ${tagText}, modified_at = now() where account_id = ${accountId} and id = ${id}`)
}

/** New credentials that were tried, or whose test could not be made. False when the connection is gone. */
export async function updateCredentials(
  tx: Queryable,
  accountId: string,
  id: string,
  change: {
    sealedCredentials: Buffer
    credentialEpoch: number
    faultMessage: string | null
    isOAuth: boolean
    checkInMs: number | null
  },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update registered_applications set sealed_credentials = ${change.sealedCredentials}, credential_epoch = ${change.credentialEpoch}, is_oauth = ${change.isOAuth},
      is_authenticated = true, fault_message = ${change.faultMessage}, fault_source = ${change.faultMessage === null ? null : 'target'},
      faulted_at = case when ${change.faultMessage !== null} then now() end, modified_at = now(),
      next_check_at = now() + ${change.checkInMs}::float8 * interval '1 millisecond'
    where account_id = ${accountId} and id = ${id}`)
  return rowCount > 0
}

/** Its id is remembered for a day, for a workflow that is given it meanwhile. False when it is gone. */
export async function deleteConnection(tx: Queryable, scope: Scope, id: string): Promise<boolean> {
  const [, deleted] = await inOrder(tx, [
    (db) =>
      db.query(sql`
      delete from tags where organization_id = ${scope.organizationId} and entity_type = 'registeredApp' and entity_id = ${id}
        and exists (select from registered_applications where account_id = ${scope.accountId} and id = ${id})`),
    (db) => db.query(sql`delete from registered_applications where account_id = ${scope.accountId} and id = ${id}`),
    (db) =>
      db.query(sql`
      insert into deleted_connections (id, account_id) values (${id}, ${scope.accountId}) on conflict (id) do nothing`),
    (db) =>
      db.query(sql`
      delete from deleted_connections where account_id = ${scope.accountId} and deleted_at < now() - interval '1 day'`),
  ])
  return deleted.rowCount > 0
}

/** Keeps connections from being deleted until the transaction ends. Returns those that were deleted; ids that never were any are left out. */
export async function holdConnections(tx: Queryable, accountId: string, ids: readonly string[]): Promise<string[]> {
  const held = await tx.query<{ id: string }>(sql`
    select id from registered_applications where account_id = ${accountId} and id = any(${ids}::uuid[])
    order by id for key share`)
  const there = new Set(held.rows.map(({ id }) => id))
  const others = ids.filter((id) => !there.has(id))
  if (others.length === 0) return []
  // A statement of its own: it sees the deletion that the first one waited for.
  const { rows } = await tx.query<{ id: string }>(sql`
    select id from deleted_connections where account_id = ${accountId} and id = any(${others}::uuid[])`)
  return rows.map(({ id }) => id)
}

export async function exists(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`select from registered_applications where account_id = ${accountId} and id = ${id}`,
  )
  return rowCount > 0
}

export async function noteUse(db: Queryable, accountId: string, id: string, checkInMs: number | null): Promise<void> {
  await db.query(sql`
    update registered_applications set last_used_at = now(),
      next_check_at = coalesce(now() + ${checkInMs}::float8 * interval '1 millisecond', next_check_at)
    where account_id = ${accountId} and id = ${id}`)
}

/** What one process was told by the target, all keep to. */
export async function keepQuiet(db: Queryable, accountId: string, id: string, forMs: number): Promise<void> {
  await db.query(sql`
    update registered_applications set quiet_until = greatest(quiet_until, now() + ${forMs}::float8 * interval '1 millisecond')
    where account_id = ${accountId} and id = ${id}`)
}

export async function scheduleCheck(
  db: Queryable,
  accountId: string,
  id: string,
  checkInMs: number | null,
): Promise<void> {
  await db.query(sql`
    update registered_applications set next_check_at = now() + ${checkInMs}::float8 * interval '1 millisecond'
    where account_id = ${accountId} and id = ${id}`)
}

function toConnection(row: Row): StoredConnection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    accountId: row.account_id,
    applicationId: row.application_id,
    shortName: row.short_name,
    name: row.name,
    tagText: row.tag_text,
    isOAuth: row.is_oauth,
    isAuthenticated: row.is_authenticated,
    sealedCredentials: row.sealed_credentials,
    credentialEpoch: row.credential_epoch,
    faultMessage: row.fault_message,
    hasTokenFault: row.has_token_fault,
    faultedForMs: row.faulted_for_ms,
    unusedForMs: row.unused_for_ms,
    quietForMs: row.quiet_for_ms,
    tokens:
      row.generation === null
        ? undefined
        : { generation: row.generation, sealed: row.sealed_tokens, lifetimeMs: row.lifetime_ms, leftMs: row.left_ms },
  }
}
