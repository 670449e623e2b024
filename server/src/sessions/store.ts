import { type AccountIdentity, type AccountRow, toIdentity } from '../access/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'

export type LinkPurpose = 'activate' | 'setPassword' | 'firstSignIn'

export async function insertLink(
  tx: Queryable,
  accountId: string,
  purpose: LinkPurpose,
  tokenHash: Buffer,
  days: number,
): Promise<void> {
  await tx.query(sql`
    insert into account_links (token_hash, account_id, purpose, expires_at)
    values (${tokenHash}, ${accountId}, ${purpose}, now() + ${days}::integer * interval '1 day')`)
}

type LinkRow = { account_id: string; organization_id: string; email: string; purpose: LinkPurpose; state: string }

export async function findLink(database: Database, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await database.system.query<LinkRow>(sql`
    select l.account_id, a.organization_id, a.email, l.purpose, a.state from account_links l join accounts a on a.id = l.account_id
    where l.token_hash = ${tokenHash} and l.expires_at > now() and a.state in ('inActive', 'active')`)
  return rows[0]
}

/**
 * Uses up a link and sets the password; undefined when the link is unknown, expired or already used.
 * A new password ends what an old one began: open sessions, and other links that could still set another.
 */
export async function redeemLink(tx: Queryable, tokenHash: Buffer, passwordHash: string): Promise<LinkRow | undefined> {
  const { rows } = await tx.query<LinkRow>(sql`
    with used as (delete from account_links where token_hash = ${tokenHash} and expires_at > now() returning account_id, purpose),
      others as (delete from account_links l using used where l.account_id = used.account_id and l.token_hash <> ${tokenHash}),
      ended as (delete from sessions s using used where s.account_id = used.account_id)
    update accounts a set password_hash = ${passwordHash}, failed_sign_ins = 0, modified_at = now(),
      state = case when used.purpose = 'activate' and a.state = 'inActive' then 'active' else a.state end
    from used where a.id = used.account_id and a.state in ('inActive', 'active')
    returning a.id as account_id, a.organization_id, a.email, used.purpose, a.state`)
  return rows[0]
}

export type SignInCandidate = { account: AccountIdentity; passwordHash: string | null; state: string }

export async function findSignInCandidate(database: Database, email: string): Promise<SignInCandidate | undefined> {
  const { rows } = await database.system.query<AccountRow & { password_hash: string | null; state: string }>(sql`
    select a.id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key, a.password_hash, a.state
    from accounts a join organizations o on o.id = a.organization_id where lower(a.email) = lower(${email})`)
  return rows[0] && { account: toIdentity(rows[0]), passwordHash: rows[0].password_hash, state: rows[0].state }
}

/**
 * Counts a failure; returns true when it was the one that locked the account. The last active Manager of an organization is never locked:
 * nobody could let him in again, and whoever knows an address could shut out the whole organization.
 */
export async function countFailedSignIn(tx: Queryable, accountId: string, failuresMax: number): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(sql`
    update accounts a set failed_sign_ins = failed_sign_ins + 1,
      state = case when failed_sign_ins + 1 >= ${failuresMax}::integer and (role <> 'Manager' or exists (
        select from accounts other where other.organization_id = a.organization_id and other.id <> a.id
          and other.role = 'Manager' and other.state = 'active')) then 'locked' else state end
    where id = ${accountId} and state = 'active' returning state = 'locked' as locked`)
  return rows[0]?.locked ?? false
}

export async function insertSession(tx: Queryable, accountId: string, idHash: Buffer, hours: number): Promise<void> {
  await Promise.all([
    tx.query(sql`
      insert into sessions (id_hash, account_id, expires_at) values (${idHash}, ${accountId}, now() + ${hours}::integer * interval '1 hour')`),
    tx.query(sql`update accounts set failed_sign_ins = 0 where id = ${accountId} and failed_sign_ins > 0`),
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
