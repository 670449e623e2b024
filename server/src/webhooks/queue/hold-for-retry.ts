// A retry of a run takes the requests of that run: while it runs, nothing else tries them.
import type { Tx } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import type { RetriedWebhooks } from '../../runs/index.ts'
import { markProcessing } from './feed-store.ts'
import { listDoneSince, listKept, lockQueued } from './hold-store.ts'
import { shareOrder } from './locks.ts'

export async function holdForRetry(tx: Tx, retry: RetriedWebhooks): Promise<void> {
  const { accountId, workflowId, webhookIds, run } = retry
  const kept = await listKept(tx, accountId, webhookIds)
  const lost = webhookIds.find((id) => !kept.has(id))
  if (lost !== undefined) throw refuse(`Webhook request ${lost} is no longer stored, so the run cannot be retried.`)
  await shareOrder(tx, [workflowId])
  // Locked before the history is read: what leaves the queue in this moment is found in one or the other.
  const queued = await lockQueued(tx, accountId, webhookIds)
  const [done] = await listDoneSince(tx, accountId, webhookIds, retry.failedSince)
  if (done) throw refuse(`Webhook request ${done.webhookId} has been processed since, ${byRun(done.runNumber)}.`)
  if (retry.isPartial) return
  const busy = queued.find(({ isProcessing }) => isProcessing)
  if (busy)
    throw refuse(
      `Webhook request ${busy.webhookId} is being processed, ${byRun(busy.runNumber)}. Wait until it has ended.`,
    )
  const behind = queued.find(({ isBehindOthers }) => isBehindOthers)
  if (behind)
    throw refuse(`Webhook request ${behind.webhookId} waits behind others that have to be processed before it.`)
  if (queued.length === 0) return
  await markProcessing(
    tx,
    queued.map(({ webhookId }) => ({ webhookId, holder: run.id, runNumber: run.runNumber })),
  )
}

function byRun(runNumber: number | null): string {
  return runNumber === null ? 'by another run' : `by run ${runNumber}`
}

function refuse(message: string): AppError {
  return new AppError('webhook_request_taken', message)
}
