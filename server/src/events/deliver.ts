// Sends what waits. A target that answers 2xx has it; 410 means that nobody is there any more; anything else is tried again.
import type { Database } from '../db/index.ts'
import { type OutboundClient, OutboundError } from '../outbound/index.ts'
import type { JobQueue } from '../queue/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { eventQueue } from './publish.ts'
import { signedHeaders } from './sign.ts'
import { type Delivery, findDelivery, settleDelivery } from './store.ts'
import { secretPlace } from './subscriptions.ts'

export const eventRetries = 10
const timeoutMs = 15_000
const answerBytesMax = 64 * 1024

export type DeliverDeps = {
  database: Database
  keyRing: KeyRing
  jobs: JobQueue
  outbound: Pick<OutboundClient, 'send'>
}

export async function startDelivering(deps: DeliverDeps): Promise<void> {
  await deps.jobs.work<{ deliveryId: string }>(eventQueue, 4, async ({ data, attempt }) => {
    const delivery = await findDelivery(deps.database.system, data.deliveryId)
    if (!delivery) return
    const { error, isGone } = await send(deps, delivery)
    const isOver = error === null || isGone || attempt >= eventRetries
    await settleDelivery(deps.database.system, delivery, { isOver, error, deactivates: isGone })
    if (!isOver) throw new Error(`An event could not be delivered: ${error}`)
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
