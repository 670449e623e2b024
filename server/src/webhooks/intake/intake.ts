// Accepting requests: what arrives in the same few milliseconds is made durable by one statement, and only then answered.
import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Contents } from '../../contents/index.ts'
import { type Database, inOrder, isAway, violatedConstraint } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import { newId } from '../../lib/id.ts'
import type { StorageLedger } from '../../storage/index.ts'
import { isOrdered, laneOf } from '../queue/lane.ts'
import { lockLanes } from '../queue/locks.ts'
import { deliveryDays } from '../request/delivery-days.ts'
import type { RecentRequests } from '../request/recent-requests.ts'
import { type GivenRequest, packRequest, type RequestTable, requestPlace } from '../request/request-record.ts'
import type { KnownWebhook } from './known-webhooks.ts'
import { QueueRoom } from './queue-room.ts'
import {
  hasRequest,
  insertRequests,
  insertSample,
  type NewRequest,
  type StoredBatch,
  type StoredRequest,
} from './store.ts'

const samplesMax = 10
/** Requests that wait for the database; more are asked to come back. */
const waitingMax = 5000
/** Whoever changes the settings has them locked for a moment. */
const againMs = 20

type Deps = {
  database: Database
  contents: Pick<Contents, 'isOn' | 'keepSealed'>
  recent: RecentRequests
  ledger: Pick<StorageLedger, 'add' | 'hasRoom' | 'hasDisk'>
  /** Requests of one account that may wait in its queue. */
  queuedPerAccountMax: number
  /** Something of the account can start. */
  onStored(accountId: string): void
  /** The queue of a workflow has become longer. */
  onQueueChange: OnQueueChange
}

export type OnQueueChange = (accountId: string, workflowId: string | null) => void

export type Accepted = Exclude<StoredRequest, { kind: 'stale' }>

export class Intake {
  readonly #database: Database
  readonly #contents: Deps['contents']
  readonly #room: QueueRoom
  readonly #ledger: Deps['ledger']
  // Two rows, so that a workflow whose order must be kept never holds up those without.
  readonly #free: GroupCommit<NewRequest, StoredRequest>
  readonly #ordered: GroupCommit<NewRequest, StoredRequest>

  constructor({ database, contents, recent, queuedPerAccountMax, onStored, onQueueChange, ledger }: Deps) {
    this.#ledger = ledger
    this.#database = database
    this.#contents = contents
    this.#room = new QueueRoom(database, queuedPerAccountMax)
    const { system } = database
    const weight = { of: ({ sealedRequest }: NewRequest) => sealedRequest.length, max: 8 * 1024 * 1024 }
    const rowOf = (insert: (requests: NewRequest[]) => Promise<StoredBatch>) =>
      new GroupCommit<NewRequest, StoredRequest>(
        oncePerDelivery({
          insert: async (requests) => {
            if (contents.isOn)
              await Promise.all(requests.map((request) => keepBody(contents, 'webhook_requests', request)))
            const { stored, accountIds } = await insert(requests)
            // What cannot start now will not be asked for in this moment either.
            if (accountIds.length > 0) keepRecent(recent, requests, stored)
            accountIds.forEach(onStored)
            const longer = new Map(requests.map(({ workflowId, accountId }) => [workflowId, accountId]))
            for (const [workflowId, accountId] of longer) onQueueChange(accountId, workflowId)
            return stored
          },
          isStored: (request) => hasRequest(system, request),
        }),
        { batchesAtOnce: 1, itemsMax: 500, weight, isShared: isAway },
      )
    this.#free = rowOf((requests) => insertRequests(system, requests, deliveryDays))
    this.#ordered = rowOf((requests) =>
      system.transaction(async (tx) => {
        const workflowIds = [...new Set(requests.map(({ workflowId }) => workflowId))]
        // Taken by a statement of its own: what the next one sees of the lanes is then final, and requests are counted in the order in
        // which their transactions become final.
        const [, batch] = await inOrder(tx, [
          (db) => lockLanes(db, workflowIds),
          (db) => insertRequests(db, requests, deliveryDays),
        ])
        return batch
      }),
    )
  }

  /** Undefined when the webhook has changed since it was looked at: the request must be looked at again. */
  accept(webhook: KnownWebhook, given: GivenRequest, deliveryId: string | undefined): Promise<Accepted | undefined> {
    this.#requireStorage(webhook.accountId)
    this.#ledger.add(webhook.accountId, given.body.length)
    if (webhook.isInDevelopment) return this.#keepSample(webhook, given, deliveryId)
    const room = this.#room.take(webhook.accountId)
    if (room === undefined) return this.#enqueue(webhook, given, deliveryId)
    return room.then(() => this.#enqueue(webhook, given, deliveryId))
  }

  async drain(): Promise<void> {
    await Promise.all([this.#free.drain(), this.#ordered.drain()])
  }

  #enqueue(webhook: KnownWebhook, given: GivenRequest, deliveryId: string | undefined): Promise<Accepted | undefined> {
    const group = isOrdered(webhook) ? this.#ordered : this.#free
    if (group.waiting >= waitingMax) throw new AppError('not_ready', 'The service is busy. Try again in a moment.')
    return group
      .add(newRequest('webhook_requests', webhook, given, deliveryId))
      .then((stored) => (stored.kind === 'stale' ? wait(againMs, undefined) : stored))
  }

  /** A sender comes back later; what it has cannot be sent by anybody else. */
  #requireStorage(accountId: string): void {
    if (this.#ledger.hasRoom(accountId)) return
    throw new AppError(
      'not_ready',
      this.#ledger.hasDisk
        ? 'The account of this webhook has used up its storage quota. Send the request again later.'
        : 'The service is low on disk space. Send the request again later.',
    )
  }

  async #keepSample(
    webhook: KnownWebhook,
    given: GivenRequest,
    deliveryId: string | undefined,
  ): Promise<Accepted | undefined> {
    const request = newRequest('webhook_samples', webhook, given, deliveryId)
    if (this.#contents.isOn) await keepBody(this.#contents, 'webhook_samples', request)
    const stored = await this.#database.system.transaction((tx) =>
      insertSample(tx, request, { deliveryDays, samplesMax }),
    )
    return stored.kind === 'stale' ? undefined : stored
  }
}

function newRequest(
  table: RequestTable,
  webhook: KnownWebhook,
  given: GivenRequest,
  deliveryId: string | undefined,
): NewRequest {
  const { accountId, workflowId, version } = webhook
  const id = newId()
  const packed = packRequest(given)
  return {
    id,
    accountId,
    workflowId,
    version,
    delivery: deliveryId === undefined ? null : digest(deliveryId),
    lane: laneOf(webhook, () => ({
      body: given.body,
      headers: { 'content-type': given.headers['content-type'] ?? '' },
    })),
    packed,
    sealedRequest: webhook.seal(requestPlace(table, id, accountId), packed),
  }
}

/** Durable elsewhere before the statement that refers to it. Within the batch, so that requests are stored in the order in which they came. */
async function keepBody(contents: Deps['contents'], table: RequestTable, request: NewRequest): Promise<void> {
  const { id, accountId, sealedRequest } = request
  request.sealedRequest = await contents.keepSealed(requestPlace(table, id, accountId), sealedRequest)
}

function keepRecent(recent: RecentRequests, requests: readonly NewRequest[], stored: readonly StoredRequest[]): void {
  for (const [index, { id, packed }] of requests.entries())
    if (stored[index]?.kind === 'stored') recent.keep(id, packed)
}

/** In the form of a GUID, as the database writes it. */
function digest(deliveryId: string): string {
  const hex = hash('sha256', deliveryId, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

type Insertion = {
  insert(requests: NewRequest[]): Promise<StoredRequest[]>
  isStored(request: NewRequest): Promise<boolean>
}

/**
 * A batch whose fate is not known, because the connection was lost over it, is tried again request by request: one that is there already
 * was stored by the first try.
 */
async function insertOnce({ insert, isStored }: Insertion, requests: NewRequest[]): Promise<StoredRequest[]> {
  try {
    return await insert(requests)
  } catch (error) {
    const [request] = requests
    if (!request || requests.length > 1 || violatedConstraint(error) === undefined) throw error
    if (!(await isStored(request))) throw error
    return [{ kind: 'stored', webhookId: request.id }]
  }
}

/** Within one batch the first request of a delivery stands for the others. */
function oncePerDelivery(insertion: Insertion): (requests: NewRequest[]) => Promise<StoredRequest[]> {
  return async (requests) => {
    if (requests.every(({ delivery }) => delivery === null)) return insertOnce(insertion, requests)
    const first = new Map<string, number>()
    const places = requests.map(({ id, workflowId, delivery }) => {
      const key = delivery === null ? id : `${workflowId} ${delivery}`
      const place = first.get(key) ?? first.size
      first.set(key, place)
      return place
    })
    if (first.size === requests.length) return insertOnce(insertion, requests)
    const seen = new Set<number>()
    const isFirst = places.map((place) => !seen.has(place) && seen.add(place) !== undefined)
    const stored = await insertOnce(
      insertion,
      requests.filter((_, index) => isFirst[index]),
    )
    return places.map((place, index) => {
      const result = stored[place] as StoredRequest
      return result.kind === 'stored' && !isFirst[index] ? { ...result, kind: 'duplicate' } : result
    })
  }
}
