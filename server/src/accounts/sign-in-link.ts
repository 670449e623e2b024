import { noAccount, recordAudit } from '../audit/index.ts'
import { type Database, sql } from '../db/index.ts'
import { createLink, forgottenHours } from '../sessions/index.ts'

/**
 * The operator's way in for someone whom no mail reaches: an active account sets a new password, an invited one is activated.
 * Undefined when there is neither.
 */
export async function makeSignInLink(
  database: Database,
  baseUrl: string,
  email: string,
): Promise<{ url: string; activates: boolean } | undefined> {
  return database.system.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; organization_id: string; state: string }>(
      sql`select id, organization_id, state from accounts where lower(email) = lower(${email}) and state in ('active', 'inActive')`,
    )
    const account = rows[0]
    if (!account) return undefined
    const activates = account.state === 'inActive'
    await recordAudit(tx, noAccount(account.organization_id), {
      action: 'account.signInLinkCreated',
      target: account.id,
      details: { activates },
    })
    const purpose = activates ? 'activate' : 'setPassword'
    const link = createLink(tx, { baseUrl, accountId: account.id, purpose, hours: forgottenHours })
    await link.stored
    return { url: link.url, activates }
  })
}
