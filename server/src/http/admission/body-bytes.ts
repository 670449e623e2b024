// Bodies of requests that prove themselves only when they are there as a whole: until then they are a stranger's. What is held of them is
// shared by workflow and address, so that unfinished bodies of one keep out nobody else's.
import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../lib/address-network.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { FairShares, type ShareRefusal } from '../../lib/fair-shares.ts'
import { noRoom } from './slots.ts'

const MiB = 1024 * 1024
/** While they arrive. By workflow, by address: senders behind a proxy may share theirs. */
const arriving = new FairShares({
  all: 96 * MiB,
  crowdedFrom: 64 * MiB,
  levels: [
    { max: 16 * MiB, maxWhenCrowded: 6 * MiB },
    { max: 48 * MiB, maxWhenCrowded: 6 * MiB },
  ],
})
/** Their beginnings count apart, so that small bodies arrive whatever large ones do. By workflow. */
const beginnings = new FairShares({
  all: 64 * MiB,
  crowdedFrom: 48 * MiB,
  levels: [{ max: 32 * MiB, maxWhenCrowded: MiB }],
})
const beginningBytes = 64 * 1024
/** While they are worked on. By account. */
const inWork = new FairShares({
  all: 64 * MiB,
  crowdedFrom: 48 * MiB,
  levels: [{ max: 48 * MiB, maxWhenCrowded: 6 * MiB }],
})
/** A sender may take this long over a body, and be silent for so long. */
const readMsMax = 60_000
const silentMsMax = 10_000

/** Of bodies that arrive or are worked on. */
export function heldWebhookBytes(): number {
  return arriving.used + beginnings.used + inWork.used
}

export type Sender = { accountId: string; workflowId: string; address: string }

/** Bytes that count until they are released. */
export type HeldBody = { bytes: Buffer; release(): void }

const nothing = Buffer.alloc(0)

/**
 * The bytes of a body: now, if it is there as a whole, else when it is. One that came with its head in one piece is small, and not worth
 * counting.
 */
export function readWholeBody(request: IncomingMessage, bytesMax: number, from: Sender): Buffer | Promise<HeldBody> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  if (!request.complete) return gather(request, bytesMax, from)
  const body = (request.read() as Buffer | null) ?? nothing
  if (body.length > bytesMax) throw tooLarge()
  return body
}

function gather(request: IncomingMessage, bytesMax: number, from: Sender): Promise<HeldBody> {
  const sender = [from.workflowId, networkOf(from.address)]
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  let held = 0
  let beginning = 0
  const take = (bytes: number): ShareRefusal | undefined => {
    const ofBeginning = Math.min(bytes, beginningBytes - beginning)
    const refusal = beginnings.take(sender, ofBeginning)
    if (refusal) return refusal
    beginning += ofBeginning
    held += ofBeginning
    const ofRest = bytes - ofBeginning
    const refused = arriving.take(sender, ofRest)
    if (refused === undefined) held += ofRest
    return refused
  }
  return new Promise((resolve, reject) => {
    const tooSlow = () => fail(invalid('The body took too long to arrive.'))
    const timer = setTimeout(tooSlow, silentMsMax)
    const settle = () => {
      clearTimeout(timer)
      beginnings.give(sender, beginning)
      arriving.give(sender, held - beginning)
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('aborted', onLost)
    }
    const fail = (error: AppError) => {
      settle()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      const refusal = take(chunk.length)
      if (refusal) return fail(noRoom(refusal))
      chunks.push(chunk)
      if (held > bytesMax) fail(tooLarge())
      else if (performance.now() - startedAt > readMsMax) tooSlow()
      else timer.refresh()
    }
    const onEnd = () => {
      const owner = [from.accountId]
      const refusal = inWork.take(owner, held)
      if (refusal) return fail(noRoom(refusal))
      settle()
      const release = () => inWork.give(owner, held)
      resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), release })
    }
    const onLost = () => fail(invalid('The connection was lost before the body was complete.'))
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('aborted', onLost)
  })
}

function tooLarge(): AppError {
  return new AppError('body_too_large', 'The body is too large.')
}
