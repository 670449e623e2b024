/**
 * Sends what waits. A target that answers 2xx has it; 410 means that nobody is there any more; anything else is tried again.
 *
 *   due ─► in hand (leased) ─► gone | due again later
 *
 * Accounts and organizations have shares, so that targets that keep us waiting hold up nobody else's events.
 */
import type { Database } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { type OutboundClient, OutboundError } from '../outbound/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { claimDeliveries, type Delivery, deleteDelivery, settleDelivery } from './delivery-store.ts'
import { signedHeaders } from './sign.ts'
import { secretPlace } from './subscriptions.ts'

const retriesMax = 10
const firstDelayMs = 5_000
const longestDelayMs = 3_600_000
const timeoutMs = 15_000
/** Longer than a delivery can take. */
const leaseMs = 60_000
const answerBytesMax = 64 * 1024
const lookMs = 1000
const shares = { total: 128, perOrganization: 16, perAccount: 8 }

export type DeliverDeps = {
  database: Database
  keyRing: KeyRing
  outbound: Pick<OutboundClient, 'send'>
  onFault(error: unknown): void
}

export class DeliveryWorker implements AsyncDisposable {
  readonly #deps: DeliverDeps
  readonly #looking: Recurring
  readonly #inHand = new Map<Promise<void>, Delivery>()
  #isTaking = false
  #isWanted = false

  constructor(deps: DeliverDeps) {
    this.#deps = deps
    this.#looking = new Recurring(() => this.#take(), { pauseMs: lookMs, onFault: deps.onFault })
  }

  start(): void {
    this.#looking.start()
  }

  wake(): void {
    void this.#take().catch(this.#deps.onFault)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking[Symbol.asyncDispose]()
    await Promise.all(this.#inHand.keys())
  }

  /** One at a time, so that what is in hand is counted right. */
  async #take(): Promise<void> {
    this.#isWanted = true
    if (this.#isTaking) return
    this.#isTaking = true
    try {
      while (this.#isWanted && !this.#looking.isStopping) {
        this.#isWanted = false
        const free = shares.total - this.#inHand.size
        if (free <= 0) return
        const taken = await claimDeliveries(this.#deps.database.system, {
          free,
          inHand: this.#count(),
          shares,
          leaseMs,
        })
        for (const delivery of taken) this.#begin(delivery)
      }
    } finally {
      this.#isTaking = false
    }
  }

  #count() {
    const accounts = new Map<string, number>()
    const organizations = new Map<string, number>()
    for (const { accountId, organizationId } of this.#inHand.values()) {
      accounts.set(accountId, (accounts.get(accountId) ?? 0) + 1)
      organizations.set(organizationId, (organizations.get(organizationId) ?? 0) + 1)
    }
    return { accounts, organizations }
  }

  #begin(delivery: Delivery): void {
    const working = deliver(this.#deps, delivery)
      .catch(this.#deps.onFault)
      .finally(() => {
        this.#inHand.delete(working)
        this.wake()
      })
    this.#inHand.set(working, delivery)
  }
}

async function deliver(deps: DeliverDeps, delivery: Delivery): Promise<void> {
  if (!delivery.isWanted) return deleteDelivery(deps.database.system, delivery.id)
  const { error, isGone } = await send(deps, delivery)
  const isOver = error === null || isGone || delivery.attempts > retriesMax
  const delayMs = Math.min(firstDelayMs * 2 ** (delivery.attempts - 1), longestDelayMs)
  await settleDelivery(deps.database.system, delivery, {
    error,
    againInMs: isOver ? null : delayMs,
    deactivates: isGone,
  })
}

async function send(deps: DeliverDeps, delivery: Delivery): Promise<{ error: string | null; isGone: boolean }> {
  const place = secretPlace(delivery.subscriptionId, delivery.accountId)
  const secret = (await deps.keyRing.open(place, delivery.sealedSecret)).toString()
  try {
    const { status } = await deps.outbound.send({
      method: 'POST',
      url: delivery.url,
      headers: signedHeaders(secret, { id: delivery.id, at: new Date(), body: delivery.payload }),
      body: delivery.payload,
      timeoutMs,
      responseBytesMax: answerBytesMax,
      followRedirects: false,
      pauseMsMax: 0,
    })
    const isTaken = status >= 200 && status < 300
    return { error: isTaken ? null : `The target answered ${status}.`, isGone: status === 410 }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { error: error.message, isGone: false }
  }
}
