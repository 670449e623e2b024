// The right to take back access that was just given: once, for a short time, known here by its hash.
import { type Queryable, sql } from '../../db/index.ts'
import { hashToken, isWellFormedToken, newRoutedToken } from '../../lib/token.ts'

const prefix = 'pbt'
const minutes = 30

/** Call it after the tokens were written, in their transaction: it remembers which they are. */
export async function createTakeBackToken(
  tx: Queryable,
  accountId: string,
  regApplicationId: string,
  wasAuthenticated: boolean,
): Promise<string> {
  const token = newRoutedToken(prefix)
  await tx.query(sql`
    insert into take_back_links (token_hash, account_id, registered_application_id, generation, was_authenticated, expires_at)
    select ${hashToken(token)}, ${accountId}, ${regApplicationId}, t.generation, ${wasAuthenticated}, now() + ${minutes}::integer * interval '1 minute'
    from connection_tokens t where t.account_id = ${accountId} and t.registered_application_id = ${regApplicationId}`)
  return token
}

export type TakenBack = {
  organizationId: string
  accountId: string
  email: string
  regApplicationId: string
  wasAuthenticated: boolean
  /** False when other tokens have taken the place of those that were given. */
  isCurrent: boolean
}

/** Uses the token up. Undefined when it is unknown, used or expired. */
export async function redeemTakeBackToken(tx: Queryable, token: string): Promise<TakenBack | undefined> {
  if (!isWellFormedToken(prefix, token)) return undefined
  const { rows } = await tx.query<{
    organization_id: string
    account_id: string
    email: string
    registered_application_id: string
    was_authenticated: boolean
    is_current: boolean
  }>(sql`
    with taken as (delete from take_back_links where token_hash = ${hashToken(token)} returning *)
    select a.organization_id, l.account_id, a.email, l.registered_application_id, l.was_authenticated, t.generation = l.generation as is_current
    from taken l join accounts a on a.id = l.account_id
    join connection_tokens t on t.registered_application_id = l.registered_application_id
    where l.expires_at > now()`)
  const row = rows[0]
  return (
    row && {
      organizationId: row.organization_id,
      accountId: row.account_id,
      email: row.email,
      regApplicationId: row.registered_application_id,
      wasAuthenticated: row.was_authenticated,
      isCurrent: row.is_current,
    }
  )
}
