import { noAccount, recordAudit } from '../audit/index.ts'
import { type Database, sql } from '../db/index.ts'

/** The operator's way back in for an account that a Manager locked. False when there is none. */
export async function unlockAccount(database: Database, email: string): Promise<boolean> {
  return database.system.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; organization_id: string }>(sql`
      update accounts set state = 'active', modified_at = now()
      where lower(email) = lower(${email}) and state = 'locked' returning id, organization_id`)
    const unlocked = rows[0]
    if (!unlocked) return false
    await recordAudit(tx, noAccount(unlocked.organization_id), { action: 'account.unlocked', target: unlocked.id })
    return true
  })
}
