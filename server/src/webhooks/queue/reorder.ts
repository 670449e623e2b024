// When settings ask for another order, what waits already is put into the lanes that they mean.
import { type Database, type Queryable, sql, type Tx } from '../../db/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { findStored, openForLane } from '../request/load-requests.ts'
import type { SettingsKey } from '../settings/store.ts'
import { laneOf, noPayload, type Order } from './lane.ts'
import { lockOrder } from './locks.ts'

type Deps = { database: Database; keyRing: KeyRing }
type Lanes = Map<string, string | null>

const readAtOnce = 50

/** Looked up before the queue is locked, because it may take a while: a value at an order key means opening every request. */
export async function lookUpLanes(deps: Deps, key: SettingsKey, order: Order): Promise<Lanes> {
  const lanes: Lanes = new Map()
  if (order.orderKey === '' || order.strictOrderProcessing) return lanes
  await addLanes(deps, deps.database.system, { key, order }, lanes)
  return lanes
}

type WantedOrder = { key: SettingsKey; order: Order }

/** Nobody moves a request of this workflow until the transaction ends. */
export async function reorderQueue(deps: Deps, tx: Tx, wanted: WantedOrder, known: Lanes): Promise<void> {
  const { key, order } = wanted
  await lockOrder(tx, key.workflowId)
  if (order.orderKey !== '') await addLanes(deps, tx, wanted, known)
  const only = order.orderKey === '' ? laneOf(order, noPayload) : null
  await tx.query(sql`
    update webhook_queue q set lane = case when ${order.orderKey !== ''} then l.lane else ${only} end, is_ready = false
    from webhook_queue o left join unnest(${[...known.keys()]}::uuid[], ${[...known.values()]}::text[]) as l (webhook_id, lane)
      on l.webhook_id = o.webhook_id
    where o.account_id = ${key.accountId} and o.workflow_id = ${key.workflowId} and q.webhook_id = o.webhook_id`)
  // What is being processed comes first in its lane, so that nothing else starts beside it.
  await tx.query(sql`
    with first as (
      select distinct on (lane) webhook_id from webhook_queue
      where account_id = ${key.accountId} and workflow_id = ${key.workflowId} and lane is not null
      order by lane, (status = 'Processing') desc, seq
    )
    update webhook_queue q set is_ready = true
    where q.account_id = ${key.accountId} and q.workflow_id = ${key.workflowId}
      and (q.lane is null or q.webhook_id in (select webhook_id from first))`)
}

async function addLanes({ keyRing }: Deps, db: Queryable, { key, order }: WantedOrder, lanes: Lanes): Promise<void> {
  const { rows } = await db.query<{ webhook_id: string }>(sql`
    select webhook_id from webhook_queue where account_id = ${key.accountId} and workflow_id = ${key.workflowId} order by seq`)
  const missing = rows.map((row) => row.webhook_id).filter((id) => !lanes.has(id))
  for (let at = 0; at < missing.length; at += readAtOnce) {
    for (const stored of await findStored(db, key.accountId, missing.slice(at, at + readAtOnce))) {
      const request = await openForLane(keyRing, stored)
      lanes.set(
        stored.id,
        laneOf(order, () => request),
      )
    }
  }
}
