// Events that wake runs. An event and a wait that begin at the same moment meet: both lock the name before they look for each other.
import { type Database, type Tx, transactDespiteDeadlock } from '../../db/index.ts'
import { newId } from '../../lib/id.ts'
import type { JobQueue } from '../../queue/index.ts'
import { runQueue } from '../run.ts'
import { requireSmall } from '../start/require-small.ts'
import { countWoken, findWoken, insertEvent, lockNames, resolveByEvent } from './event-store.ts'

export type SendDeps = { database: Database; jobs: JobQueue }

export type GivenEvent = {
  name: string
  key?: string | number | null
  data?: unknown
  eventId?: string | null
}

/** How many runs were woken. */
export async function sendEvent(deps: SendDeps, accountId: string, given: GivenEvent): Promise<number> {
  const data = given.data === undefined || given.data === null ? null : requireSmall('data', given.data)
  // Whoever stops a run locks its job before its waits, and here they are found by their names first.
  return transactDespiteDeadlock(deps.database.system, (tx) =>
    sendEventIn(deps.jobs, tx, accountId, { ...given, data }),
  )
}

/** For a caller that has more to write with it; `data` is JSON text. */
export async function sendEventIn(
  jobs: JobQueue,
  tx: Tx,
  accountId: string,
  { name, key, data, eventId }: Omit<GivenEvent, 'data'> & { data: string | null },
): Promise<number> {
  const event = {
    id: newId(),
    accountId,
    name,
    key: key === undefined || key === null ? null : String(key),
    data,
    eventId: eventId ?? null,
  }
  await lockNames(tx, accountId, [name])
  if (!(await insertEvent(tx, event))) return findWoken(tx, accountId, event.eventId)
  const runIds = await resolveByEvent(tx, event)
  if (runIds.length === 0) return 0
  await countWoken(tx, event.id, runIds.length)
  await jobs.wake(tx, runQueue, runIds)
  return runIds.length
}
