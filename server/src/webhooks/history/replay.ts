// Putting past requests back into the queue, piece by piece, so that neither the queue nor new requests wait for it.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { countQueued } from '../intake/store.ts'
import { laneOf, noPayload, type Order } from '../queue/lane.ts'
import { lockLanes, shareOrder } from '../queue/locks.ts'
import { notConfigured } from '../queue/operator-actions.ts'
import { findStored, openForLane } from '../request/load-requests.ts'
import { findSettings } from '../settings/store.ts'
import { readTimeRange } from './list-requests.ts'
import { findWorkflowFlags } from './list-store.ts'
import { findOrder, findReplay, insertReplay, listReplayed, lockReplay, type Replay, requeue } from './replay-store.ts'

export const webhookReplayQueue = 'webhook-replays'

export type ReplayDeps = {
  database: Database
  keyRing: KeyRing
  jobs: JobQueue
  queuedPerAccountMax: number
  wake(accountId: string): void
}

type GivenReplay = { searchFrom?: string; searchTo?: string; status?: readonly ('Done' | 'Skipped')[] }

const itemsAtOnce = 200
const fullQueueWaitMs = 10_000

export async function startReplay(deps: ReplayDeps, principal: Principal, workflowId: string, given: GivenReplay) {
  const scope = scopeOf(principal)
  const { accountId } = scope
  const range = readTimeRange(given)
  const statuses = given.status ?? ['Skipped']
  const id = newId()
  await deps.database.forScope(scope).transaction(async (tx) => {
    if (!(await findWorkflowFlags(tx, accountId, workflowId))) throw notFound('workflow')
    if (!(await findSettings(tx, accountId, workflowId))?.settings) throw notConfigured()
    await Promise.all([
      insertReplay(tx, { id, accountId, workflowId, ...range, statuses }),
      deps.jobs.send(tx, webhookReplayQueue, { replayId: id }),
      recordAudit(tx, actorOf(principal), {
        action: 'webhook.replayed',
        target: workflowId,
        details: { replayId: id, ...range, statuses },
      }),
    ])
  })
  deps.jobs.hint(webhookReplayQueue)
  return getReplay(deps, principal, id)
}

export async function getReplay({ database }: Pick<ReplayDeps, 'database'>, principal: Principal, id: string) {
  const scope = scopeOf(principal)
  const found = await findReplay(database.forScope(scope), scope.accountId, id)
  if (!found) throw notFound('replay')
  return toAnswer(found)
}

function toAnswer({ id, workflowId, total, queued, waiting, isQueued, createdAt }: Replay) {
  return {
    id,
    workflowId,
    total,
    queued,
    waiting,
    isComplete: isQueued && waiting === 0,
    createDateTimeUTC: createdAt.toISOString(),
  }
}

export async function startReplaying(deps: ReplayDeps): Promise<void> {
  await deps.jobs.work<{ replayId: string }>(webhookReplayQueue, 1, ({ data }) => replay(deps, data.replayId))
}

async function replay(deps: ReplayDeps, id: string): Promise<void> {
  for (;;) {
    const outcome = await deps.database.system.transaction(async (tx) => {
      const step = await lockReplay(tx, id)
      if (!step) return 'over'
      await shareOrder(tx, [step.workflowId])
      await lockLanes(tx, [step.workflowId])
      const queued = await countQueued(tx, step.accountId, deps.queuedPerAccountMax)
      if (queued + itemsAtOnce > deps.queuedPerAccountMax) {
        await deps.jobs.sendMany(tx, webhookReplayQueue, [
          { data: { replayId: id }, startAfter: new Date(Date.now() + fullQueueWaitMs) },
        ])
        return 'over'
      }
      const ids = await listReplayed(tx, id, itemsAtOnce)
      const isLast = ids.length < itemsAtOnce
      await requeue(
        tx,
        { id, workflowId: step.workflowId },
        await withLanes(deps, { ...step, ...(await findOrder(tx, step.workflowId)) }, ids),
        isLast,
      )
      tx.afterCommit(() => deps.wake(step.accountId))
      return isLast ? 'over' : 'more'
    })
    if (outcome === 'over') return
  }
}

async function withLanes({ database, keyRing }: ReplayDeps, step: Order & { accountId: string }, ids: string[]) {
  if (step.orderKey === '') return ids.map((webhookId) => ({ webhookId, lane: laneOf(step, noPayload) }))
  const stored = await findStored(database.system, step.accountId, ids)
  const lanes = await Promise.all(
    stored.map(async (one): Promise<[string, string | null]> => {
      const request = await openForLane(keyRing, one)
      return [one.id, laneOf(step, () => request)]
    }),
  )
  const laneById = new Map(lanes)
  return ids.map((webhookId) => ({ webhookId, lane: laneById.get(webhookId) ?? laneOf(step, noPayload) }))
}
