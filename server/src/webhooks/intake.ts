// Accepting requests: what arrives in the same few milliseconds is made durable by one statement, and only then answered.
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, violatedConstraint } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import { GroupCommit } from '../lib/group-commit.ts'
import { newId } from '../lib/id.ts'
import { TimedCache } from '../lib/timed-cache.ts'
import type { KeyRing } from '../secrets/index.ts'
import { countQueued, insertRequests, insertSample, type NewRequest, type StoredRequest } from './intake-store.ts'
import type { KnownWebhook } from './known-webhook.ts'
import { isOrdered, laneOf } from './lane.ts'
import { lockLanes } from './locks.ts'
import { packRequest, type ReceivedRequest, requestPlace } from './request-record.ts'

const deliveryDays = 7
const samplesMax = 10
/** Requests that wait for the database; more are asked to come back. */
const waitingMax = 5000
const countMs = 2000
const countEntriesMax = 10_000

type Deps = {
  database: Database
  keyRing: KeyRing
  /** Requests of one account that may wait in its queue. */
  queuedPerAccountMax: number
  onAccepted(workflow: { accountId: string; workflowId: string }): void
}

export type Accepted = Exclude<StoredRequest, { kind: 'stale' }>

export class Intake {
  readonly #deps: Deps
  readonly #counts = new TimedCache<{ queued: number }>(countMs, countEntriesMax)
  // Two rows, so that a workflow whose order must be kept never holds up those without.
  readonly #free: GroupCommit<NewRequest, StoredRequest>
  readonly #ordered: GroupCommit<NewRequest, StoredRequest>

  constructor(deps: Deps) {
    this.#deps = deps
    const { system } = deps.database
    const weight = { of: ({ sealedRequest }: NewRequest) => sealedRequest.length, max: 8 * 1024 * 1024 }
    this.#free = new GroupCommit(
      oncePerDelivery((requests) => insertRequests(system, requests, deliveryDays)),
      { batchesAtOnce: 1, itemsMax: 500, weight },
    )
    this.#ordered = new GroupCommit(
      oncePerDelivery((requests) =>
        system.transaction(async (tx) => {
          const workflowIds = [...new Set(requests.map(({ workflowId }) => workflowId))]
          // Taken by a statement of its own: what the next one sees of the lanes is then final, and requests are counted in the order in
          // which their transactions become final.
          const [, stored] = await Promise.all([lockLanes(tx, workflowIds), insertRequests(tx, requests, deliveryDays)])
          return stored
        }),
      ),
      { batchesAtOnce: 1, itemsMax: 500, weight },
    )
  }

  /** Undefined when the webhook has changed since it was looked at: the request must be looked at again. */
  async accept(
    webhook: KnownWebhook,
    received: ReceivedRequest,
    deliveryId: string | undefined,
  ): Promise<Accepted | undefined> {
    const { accountId, workflowId, version } = webhook
    const { database, keyRing } = this.#deps
    const id = newId()
    const request = {
      id,
      accountId,
      workflowId,
      version,
      delivery: deliveryId === undefined ? null : digest(deliveryId),
      lane: laneOf(webhook, () => received.body),
    }
    const seal = (table: 'webhook_requests' | 'webhook_samples') =>
      keyRing.seal(requestPlace(table, id, accountId), packRequest(received))
    if (webhook.isInDevelopment) {
      const sealedRequest = await seal('webhook_samples')
      const stored = await database.system.transaction((tx) =>
        insertSample(tx, { ...request, sealedRequest }, { deliveryDays, samplesMax }),
      )
      return stored.kind === 'stale' ? undefined : stored
    }
    await this.#refuseWhenFull(accountId)
    const group = isOrdered(webhook) ? this.#ordered : this.#free
    if (group.waiting >= waitingMax) throw new AppError('not_ready', 'The service is busy. Try again in a moment.')
    const stored = await group.add({ ...request, sealedRequest: await seal('webhook_requests') })
    if (stored.kind === 'stale') {
      // Whoever changes the settings has them locked for a moment.
      await wait(20)
      return undefined
    }
    if (stored.kind === 'stored') this.#deps.onAccepted({ accountId, workflowId })
    return stored
  }

  async drain(): Promise<void> {
    await Promise.all([this.#free.drain(), this.#ordered.drain()])
  }

  async #refuseWhenFull(accountId: string): Promise<void> {
    const max = this.#deps.queuedPerAccountMax
    const ask = async () => ({ queued: await countQueued(this.#deps.database.system, accountId, max) })
    const count = this.#counts.peek(accountId) ?? (await this.#counts.get(accountId, ask))
    if (count.queued++ >= max) {
      throw new AppError(
        'too_many_requests',
        'The queue of this account is full. What is in it is processed first; try again later.',
      )
    }
  }
}

/** In the form of a GUID, as the database writes it. */
function digest(deliveryId: string): string {
  const hex = createHash('sha256').update(deliveryId).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/**
 * A batch whose fate is not known, because the connection was lost over it, is tried again request by request: one that is there already
 * was stored by the first try.
 */
async function insertOnce(
  insert: (requests: NewRequest[]) => Promise<StoredRequest[]>,
  requests: NewRequest[],
): Promise<StoredRequest[]> {
  try {
    return await insert(requests)
  } catch (error) {
    const [request] = requests
    if (request && requests.length === 1 && violatedConstraint(error)?.startsWith('webhook_'))
      return [{ kind: 'stored', webhookId: request.id }]
    throw error
  }
}

/** Within one batch the first request of a delivery stands for the others. */
function oncePerDelivery(
  insert: (requests: NewRequest[]) => Promise<StoredRequest[]>,
): (requests: NewRequest[]) => Promise<StoredRequest[]> {
  return async (requests) => {
    const first = new Map<string, number>()
    const places = requests.map(({ id, workflowId, delivery }) => {
      const key = delivery === null ? id : `${workflowId} ${delivery}`
      const place = first.get(key) ?? first.size
      first.set(key, place)
      return place
    })
    if (first.size === requests.length) return insertOnce(insert, requests)
    const seen = new Set<number>()
    const isFirst = places.map((place) => !seen.has(place) && seen.add(place) !== undefined)
    const stored = await insertOnce(
      insert,
      requests.filter((_, index) => isFirst[index]),
    )
    return places.map((place, index) => {
      const result = stored[place] as StoredRequest
      return result.kind === 'stored' && !isFirst[index] ? { ...result, kind: 'duplicate' } : result
    })
  }
}
