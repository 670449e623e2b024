import { type AccountIdentity, type AccountRow, toIdentity } from '../access/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'

export type LinkPurpose = 'activate' | 'setPassword' | 'firstSignIn'

type StoredLink = { accountId: string; purpose: LinkPurpose; tokenHash: Buffer; hours: number }

export async function insertLink(tx: Queryable, { accountId, purpose, tokenHash, hours }: StoredLink): Promise<void> {
  await tx.query(sql`
    insert into account_links (token_hash, account_id, purpose, expires_at)
    values (${tokenHash}, ${accountId}, ${purpose}, now() + ${hours}::integer * interval '1 hour')`)
}

export async function deleteLinks(tx: Queryable, accountId: string, purpose: LinkPurpose): Promise<void> {
  await tx.query(sql`delete from account_links where account_id = ${accountId} and purpose = ${purpose}`)
}

type LinkRow = { account_id: string; organization_id: string; email: string; purpose: LinkPurpose; state: string }

export async function findLink(database: Database, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await database.system.query<LinkRow>(sql`
    select l.account_id, a.organization_id, a.email, l.purpose, a.state from account_links l join accounts a on a.id = l.account_id
    where l.token_hash = ${tokenHash} and l.expires_at > now() and a.state in ('inActive', 'active')`)
  return rows[0]
}

/** Nobody has opened the link that the first start printed. */
export async function isFirstVisitOpen(database: Database): Promise<boolean> {
  const { rows } = await database.system.query(
    sql`select 1 from account_links where purpose = 'firstSignIn' and expires_at > now() limit 1`,
  )
  return rows.length > 0
}

/**
 * Uses up a link and sets the password; undefined when the link is unknown, expired or already used.
 * A new password ends what an old one began: open sessions, and other links that could still set another.
 */
export async function redeemLink(tx: Queryable, tokenHash: Buffer, passwordHash: string): Promise<LinkRow | undefined> {
  // Waits for a sign-in with the old password: the next statement then sees its session.
  await tx.query(sql`
    select from accounts a where a.id = (select account_id from account_links where token_hash = ${tokenHash}) for no key update`)
  const { rows } = await tx.query<LinkRow>(sql`
    with used as (delete from account_links where token_hash = ${tokenHash} and expires_at > now() returning account_id, purpose),
      others as (delete from account_links l using used where l.account_id = used.account_id and l.token_hash <> ${tokenHash}),
      ended as (delete from sessions s using used where s.account_id = used.account_id)
    update accounts a set password_hash = ${passwordHash}, modified_at = now(),
      state = case when used.purpose = 'activate' and a.state = 'inActive' then 'active' else a.state end
    from used where a.id = used.account_id and a.state in ('inActive', 'active')
    returning a.id as account_id, a.organization_id, a.email, used.purpose, a.state`)
  return rows[0]
}

export type SignInCandidate = {
  account: AccountIdentity
  firstName: string
  passwordHash: string | null
  state: string
}

export async function findSignInCandidate(database: Database, email: string): Promise<SignInCandidate | undefined> {
  const { rows } = await database.system.query<
    AccountRow & { first_name: string; password_hash: string | null; state: string }
  >(sql`
    select a.id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key, a.first_name, a.password_hash, a.state
    from accounts a join organizations o on o.id = a.organization_id where lower(a.email) = lower(${email})`)
  const row = rows[0]
  return (
    row && { account: toIdentity(row), firstName: row.first_name, passwordHash: row.password_hash, state: row.state }
  )
}

/** Held until the transaction ends: neither password nor state changes meanwhile. */
export async function holdSignIn(tx: Queryable, accountId: string, passwordHash: string): Promise<boolean> {
  const { rows } = await tx.query(sql`
    select from accounts where id = ${accountId} and password_hash = ${passwordHash} and state = 'active' for share`)
  return rows.length > 0
}

export async function insertSession(tx: Queryable, accountId: string, idHash: Buffer, hours: number): Promise<void> {
  await Promise.all([
    tx.query(sql`
      insert into sessions (id_hash, account_id, expires_at) values (${idHash}, ${accountId}, now() + ${hours}::integer * interval '1 hour')`),
    tx.query(sql`delete from sessions where account_id = ${accountId} and expires_at <= now()`),
  ])
}

export async function findSession(database: Database, idHash: Buffer): Promise<AccountIdentity | undefined> {
  const { rows } = await database.system.query<AccountRow>(sql`
    select a.id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key
    from sessions s join accounts a on a.id = s.account_id join organizations o on o.id = a.organization_id
    where s.id_hash = ${idHash} and s.expires_at > now() and a.state = 'active'`)
  return rows[0] && toIdentity(rows[0])
}

/** The account whose session ended, or undefined when there was none. */
export async function deleteSession(
  tx: Queryable,
  idHash: Buffer,
): Promise<{ accountId: string; organizationId: string } | undefined> {
  const { rows } = await tx.query<{ account_id: string; organization_id: string }>(sql`
    with ended as (delete from sessions where id_hash = ${idHash} returning account_id)
    select a.id as account_id, a.organization_id from ended join accounts a on a.id = ended.account_id`)
  return rows[0] && { accountId: rows[0].account_id, organizationId: rows[0].organization_id }
}
