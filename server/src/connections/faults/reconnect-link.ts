// Mailed links that lead back to the provider. They are known here by their hash and work until they expire.
import { type Queryable, sql } from '../../db/index.ts'
import { hashToken, isWellFormedToken, newRoutedToken } from '../../lib/token.ts'

const prefix = 'pbr'
const days = 7

export async function createReconnectLink(
  tx: Queryable,
  accountId: string,
  regApplicationId: string,
  baseUrl: string,
): Promise<string> {
  const token = newRoutedToken(prefix)
  await tx.query(sql`
    insert into reconnect_links (token_hash, account_id, registered_application_id, expires_at)
    values (${hashToken(token)}, ${accountId}, ${regApplicationId}, now() + ${days}::integer * interval '1 day')`)
  return `${baseUrl}/reconnect?token=${token}`
}

/** Who holds the link is not known yet, so this reads past the walls between accounts. */
export async function findReconnectLink(
  db: Queryable,
  token: string,
): Promise<{ organizationId: string; accountId: string; regApplicationId: string } | undefined> {
  if (!isWellFormedToken(prefix, token)) return undefined
  const { rows } = await db.query<{
    organization_id: string
    account_id: string
    registered_application_id: string
  }>(sql`
    select a.organization_id, l.account_id, l.registered_application_id
    from reconnect_links l join accounts a on a.id = l.account_id and a.state = 'active'
    where l.token_hash = ${hashToken(token)} and l.expires_at > now()`)
  const row = rows[0]
  return (
    row && {
      organizationId: row.organization_id,
      accountId: row.account_id,
      regApplicationId: row.registered_application_id,
    }
  )
}
