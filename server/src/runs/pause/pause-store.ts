// Automatic runs of a workflow are paused while an application that it needs is faulted, after ten failures in a row, and when somebody
// pauses it. After failures it tries one run now and then:
//   running ─(by hand)─► paused, next try never (`infinity`) ─(by hand)─► running
//   running ─(10 failures)─► paused, next try in 5 minutes ─(try)─► paused, next try later … ─(a success, or by hand)─► running
import { type Queryable, sql } from '../../db/index.ts'

/**
 * Of the workflows that are paused and may try a run now, those that this transaction lets try. Their rows stay locked, and the next try is
 * set at once: a worker that dies leaves it to that one.
 */
export async function claimTries(tx: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  if (workflowIds.length === 0) return new Set()
  const { rows } = await tx.query<{ id: string }>(sql`
    with due as (
      select id from workflows
      where id = any(${workflowIds}::uuid[]) and next_try_at <= now() and state = 'deployed' and not has_faulted_application(id)
      order by id for no key update skip locked
    )
    update workflows w set pause_tries = w.pause_tries + 1, next_try_at = clock_timestamp() + wait_before_try(w.pause_tries + 1)
    from due where w.id = due.id returning w.id`)
  return new Set(rows.map(({ id }) => id))
}

/** A try that came to nothing, because there was nothing to run, may be made as soon as there is. */
export async function giveBackTries(tx: Queryable, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return
  await tx.query(sql`
    update workflows set pause_tries = pause_tries - 1, next_try_at = now()
    where id = any(${workflowIds}::uuid[]) and next_try_at is not null and pause_tries > 0`)
}

/** Until somebody resumes it: there is no next try. False when it is not deployed or paused so already. */
export async function pauseByHand(tx: Queryable, accountId: string, workflowId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update workflows set is_auto_run_paused = true, next_try_at = 'infinity', pause_tries = 0
    where account_id = ${accountId} and id = ${workflowId} and state = 'deployed' and next_try_at is distinct from 'infinity'`)
  return rowCount === 1
}

export type Resumed = {
  name: string
  /** For whichever reason. */
  wasPaused: boolean
  /** By its failures. */
  hadFailed: boolean
  /** Names of the faulted applications for which it still waits. */
  waitsFor: string[]
  /** Nothing of the account runs by itself while that is so. */
  isAccountInactive: boolean
}

/** Forgets the failures; a connection that is broken still holds the workflow. Undefined when the account has no such workflow. */
export async function resume(tx: Queryable, accountId: string, workflowId: string): Promise<Resumed | undefined> {
  // Held before the connections are looked at: one that recovers in the same moment is seen as it is afterwards.
  const before = await tx.query<{ name: string; was_paused: boolean; had_failed: boolean; is_inactive: boolean }>(sql`
    select name, is_auto_run_paused as was_paused, next_try_at is not null as had_failed,
      exists (select from accounts a where a.id = account_id and a.state <> 'active') as is_inactive
    from workflows where account_id = ${accountId} and id = ${workflowId} for no key update`)
  const { rows } = await tx.query<{ waits_for: string[] }>(sql`
    update workflows w set auto_failures = 0, next_try_at = null, pause_tries = 0,
      is_auto_run_paused = w.state = 'deployed' and has_faulted_application(w.id)
    where w.account_id = ${accountId} and w.id = ${workflowId}
    returning array(
      select case when r.tag_text = '' then r.name else r.name || ' (' || r.tag_text || ')' end
      from workflow_uses u join registered_applications r on r.id = case when u.kind = 'registeredApplication' then u.target::uuid end
      where u.workflow_id = w.id and r.fault_message is not null order by 1) as waits_for`)
  const [workflow] = before.rows
  if (!workflow) return undefined
  const { name, was_paused: wasPaused, had_failed: hadFailed, is_inactive: isAccountInactive } = workflow
  return { name, wasPaused, hadFailed, waitsFor: rows[0]?.waits_for ?? [], isAccountInactive }
}

/** Undefined when nothing holds it any more. */
export function describeWait({ waitsFor, isAccountInactive }: Resumed): string | undefined {
  const inactive =
    'The account is not active: nothing of it runs by itself, and its webhook takes no requests, until it is.'
  const reasons = [...(isAccountInactive ? [inactive] : []), ...describeFaults(waitsFor)]
  return reasons.length === 0 ? undefined : reasons.join(' ')
}

function describeFaults(waitsFor: readonly string[]): string[] {
  if (waitsFor.length === 0) return []
  const names = waitsFor.join(', ')
  return waitsFor.length === 1
    ? [`Automatic runs stay paused because the connection ${names} is faulted. They resume as soon as it works again.`]
    : [
        `Automatic runs stay paused because these connections are faulted: ${names}. They resume as soon as they work again.`,
      ]
}
