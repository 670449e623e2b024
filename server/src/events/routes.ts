import { scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { listSubscriptions, wantsFailureMail } from './store.ts'
import { changeNotifications, changeSubscription, subscribe, unsubscribe } from './subscriptions.ts'

type Names =
  | 'EventSubscriptions'
  | 'EventSubscriptionCreate'
  | 'EventSubscriptionUpdate'
  | 'DeleteEventSubscription'
  | 'NotificationSettings'
  | 'NotificationSettingsUpdate'

export function eventRoutes(deps: { database: Database; keyRing: KeyRing }): HandlersOf<Names> {
  return {
    EventSubscriptions: ({ principal }) =>
      listSubscriptions(deps.database.forScope(scopeOf(principal)), principal.account.id),
    EventSubscriptionCreate: ({ principal, body }) => subscribe(deps, principal, body),
    EventSubscriptionUpdate: ({ principal, params, body }) => changeSubscription(deps, principal, params.id, body),
    DeleteEventSubscription: ({ principal, params }) => unsubscribe(deps, principal, params.id),
    NotificationSettings: async ({ principal }) => ({
      failureMail: await wantsFailureMail(deps.database.forScope(scopeOf(principal)), principal.account.id),
    }),
    NotificationSettingsUpdate: ({ principal, body }) => changeNotifications(deps, principal, body),
  }
}
