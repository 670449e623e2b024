import { randomBytes } from 'node:crypto'
import type { EventName, EventScope } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import type { KeyRing, Place } from '../secrets/index.ts'
import { setFailureMail } from './notification-store.ts'
import {
  countSubscriptions,
  deleteSubscription,
  insertSubscription,
  type SubscriptionChange,
  updateSubscription,
} from './subscription-store.ts'

type Deps = { database: Database; keyRing: KeyRing }

const subscriptionsMax = 50

export async function subscribe(
  deps: Deps,
  principal: Principal,
  given: { url: string; events?: EventName[]; scope?: EventScope },
): Promise<{ id: string; secret: string }> {
  checkUrl(given.url)
  const accountId = principal.account.id
  const scope = given.scope ?? 'account'
  const id = newId()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const sealedSecret = await deps.keyRing.seal(secretPlace(id, accountId), Buffer.from(secret))
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if ((await countSubscriptions(tx, accountId)) >= subscriptionsMax)
      throw invalid(`An account may have at most ${subscriptionsMax} event subscriptions.`)
    await Promise.all([
      insertSubscription(tx, {
        id,
        accountId,
        scope,
        url: given.url,
        events: [...new Set(given.events ?? [])],
        sealedSecret,
      }),
      recordAudit(tx, actorOf(principal), {
        action: 'eventSubscription.created',
        target: id,
        details: { scope, url: given.url, events: given.events ?? [] },
      }),
    ])
  })
  return { id, secret }
}

export async function changeSubscription(
  deps: Deps,
  principal: Principal,
  id: string,
  change: SubscriptionChange,
): Promise<undefined> {
  if (change.url !== undefined) checkUrl(change.url)
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if (!(await updateSubscription(tx, principal.account.id, id, change))) throw notFound('event subscription')
    await recordAudit(tx, actorOf(principal), { action: 'eventSubscription.changed', target: id, details: change })
  })
}

export async function unsubscribe(deps: Deps, principal: Principal, id: string): Promise<boolean> {
  return deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if (!(await deleteSubscription(tx, principal.account.id, id))) throw notFound('event subscription')
    await recordAudit(tx, actorOf(principal), { action: 'eventSubscription.deleted', target: id })
    return true
  })
}

export async function changeNotifications(
  deps: Deps,
  principal: Principal,
  { failureMail, scope = 'account' }: { failureMail: boolean; scope?: EventScope },
): Promise<undefined> {
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    await Promise.all([
      setFailureMail(tx, principal.account.id, scope, failureMail),
      recordAudit(tx, actorOf(principal), {
        action: 'notifications.changed',
        target: principal.account.id,
        details: { scope, failureMail },
      }),
    ])
  })
}

export function secretPlace(id: string, accountId: string): Place {
  return { table: 'event_subscriptions', column: 'sealed_secret', rowId: id, accountId }
}

/** Where an address leads is judged when it is called; here only what it is. */
function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('The field url must be an address that starts with http:// or https://.')
  if (url.username !== '' || url.password !== '')
    throw invalid('The field url must not contain a user name or a password.')
}
