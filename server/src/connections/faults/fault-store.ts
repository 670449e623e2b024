import { type Queryable, sql } from '../../db/index.ts'

export type FaultSource = 'token' | 'target'

// A connection that fails and works by turns writes one mail in this time.
const mailEveryMinutes = 60

/**
 * `isNew` when it was sound before; `mailTo` is the owner's address when a mail is due. Undefined when the connection is
 * gone. Connections that never were authenticated have nothing to lose and stay as they are.
 */
export async function setFault(
  tx: Queryable,
  { accountId, id }: { accountId: string; id: string },
  { source, message }: { source: FaultSource; message: string },
): Promise<{ isNew: boolean; mailTo: string | null } | undefined> {
  const { rows } = await tx.query<{ is_new: boolean; mail_to: string | null }>(sql`
    with before as (
      select r.id, r.fault_message is null as is_new, a.email,
        r.fault_message is null and coalesce(r.fault_mailed_at < now() - ${mailEveryMinutes}::float8 * interval '1 minute', true) as is_mail_due
      from registered_applications r join accounts a on a.id = r.account_id
      where r.account_id = ${accountId} and r.id = ${id} and r.is_authenticated for update of r
    ), changed as (
      update registered_applications r set fault_message = ${message}, fault_source = ${source}, faulted_at = coalesce(r.faulted_at, now()),
        fault_mailed_at = case when before.is_mail_due then now() else r.fault_mailed_at end,
        next_check_at = least(r.next_check_at, now() + interval '1 minute')
      from before where r.id = before.id and r.fault_message is distinct from ${message}
    )
    select is_new, case when is_mail_due then email end as mail_to from before`)
  return rows[0] && { isNew: rows[0].is_new, mailTo: rows[0].mail_to }
}

/** Undefined when there was none to clear. `wasMailed`: people were told of this one. */
export async function clearFault(
  tx: Queryable,
  accountId: string,
  id: string,
  source: FaultSource,
): Promise<{ wasMailed: boolean } | undefined> {
  const { rows } = await tx.query<{ was_mailed: boolean }>(sql`
    with before as (
      select id, coalesce(fault_mailed_at >= faulted_at, false) as was_mailed from registered_applications
      where account_id = ${accountId} and id = ${id} and fault_message is not null
        and (${source}::text = 'target' or fault_source = 'token')
      for update
    )
    update registered_applications r set fault_message = null, fault_source = null, faulted_at = null
    from before b where r.id = b.id returning b.was_mailed`)
  return rows[0] && { wasMailed: rows[0].was_mailed }
}
