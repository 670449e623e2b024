// An event is written in the transaction of what it tells about: it is sent exactly when that happened, at least once.
import type { EventName } from '@patchbay/contract'
import type { Queryable } from '../db/index.ts'
import type { JobQueue } from '../queue/index.ts'
import { insertDeliveries } from './store.ts'

export const eventQueue = 'events'

export type PublishEvent = (tx: Queryable, accountId: string, event: EventName, data: object) => Promise<void>

export function eventPublisher(deps: { jobs: JobQueue }): PublishEvent {
  return async (tx, accountId, event, data) => {
    const payload = JSON.stringify({ type: event, timestamp: new Date().toISOString(), data })
    const ids = await insertDeliveries(tx, accountId, event, payload)
    if (ids.length > 0)
      await deps.jobs.sendMany(
        tx,
        eventQueue,
        ids.map((deliveryId) => ({ data: { deliveryId } })),
      )
  }
}
