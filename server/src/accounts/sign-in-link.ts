import { noAccount, recordAudit } from '../audit/index.ts'
import { type Database, sql } from '../db/index.ts'
import { createLink, forgottenHours } from '../sessions/index.ts'

/** The operator's way back in for someone whom no mail reaches. Undefined when no active account has this address. */
export async function makeSignInLink(database: Database, baseUrl: string, email: string): Promise<string | undefined> {
  return database.system.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; organization_id: string }>(
      sql`select id, organization_id from accounts where lower(email) = lower(${email}) and state = 'active'`,
    )
    const account = rows[0]
    if (!account) return undefined
    await recordAudit(tx, noAccount(account.organization_id), {
      action: 'account.passwordForgotten',
      target: account.id,
    })
    const link = createLink(tx, { baseUrl, accountId: account.id, purpose: 'setPassword', hours: forgottenHours })
    await link.stored
    return link.url
  })
}
