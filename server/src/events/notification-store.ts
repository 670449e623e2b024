import type { EventScope } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

/** Everybody is mailed about the own account unless they say no, and about others only if they say so. */
export async function wantsFailureMail(db: Queryable, accountId: string, scope: EventScope): Promise<boolean> {
  const { rows } = await db.query<{ failure_mail: boolean; managed_failure_mail: boolean }>(
    sql`select failure_mail, managed_failure_mail from notification_settings where account_id = ${accountId}`,
  )
  return scope === 'account' ? (rows[0]?.failure_mail ?? true) : (rows[0]?.managed_failure_mail ?? false)
}

export async function setFailureMail(
  tx: Queryable,
  accountId: string,
  scope: EventScope,
  isWanted: boolean,
): Promise<void> {
  await tx.query(
    scope === 'account'
      ? sql`insert into notification_settings (account_id, failure_mail) values (${accountId}, ${isWanted})
            on conflict (account_id) do update set failure_mail = excluded.failure_mail`
      : sql`insert into notification_settings (account_id, managed_failure_mail) values (${accountId}, ${isWanted})
            on conflict (account_id) do update set managed_failure_mail = excluded.managed_failure_mail`,
  )
}
