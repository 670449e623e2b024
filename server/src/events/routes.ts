import { scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { wantsFailureMail } from './notification-store.ts'
import { listSubscriptions } from './subscription-store.ts'
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
    EventSubscriptions: ({ principal, query }) =>
      listSubscriptions(deps.database.forScope(scopeOf(principal)), principal.account.id, query.scope ?? 'account'),
    EventSubscriptionCreate: ({ principal, body }) => subscribe(deps, principal, body),
    EventSubscriptionUpdate: ({ principal, params, body }) => changeSubscription(deps, principal, params.id, body),
    DeleteEventSubscription: ({ principal, params }) => unsubscribe(deps, principal, params.id),
    NotificationSettings: async ({ principal, query }) => ({
      failureMail: await wantsFailureMail(
        deps.database.forScope(scopeOf(principal)),
        principal.account.id,
        query.scope ?? 'account',
      ),
    }),
    NotificationSettingsUpdate: ({ principal, body }) => changeNotifications(deps, principal, body),
  }
}
