import type { BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { updateAlarm } from './store.ts'

type Action = BodyOf<Operations['AlarmAction']>['action']

export async function actOnAlarm(
  { database }: { database: Database },
  principal: Principal,
  id: string,
  action: Action,
): Promise<undefined> {
  await database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const alarm = await updateAlarm(tx, principal.account.id, id, action)
    if (!alarm) throw notFound('alarm')
    await recordAudit(tx, actorOf(principal), {
      action: action === 'dismiss' ? 'alarm.dismissed' : 'alarm.acknowledged',
      target: id,
      details: alarm,
    })
  })
}
