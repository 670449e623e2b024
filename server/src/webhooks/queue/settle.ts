// What becomes of a request when the run that had it ended, or its check did:
//   Ready   -> Done
//   Error   -> Failed, to be tried again after a while; Skipped, and told, when it failed too often
//   Error, and its sender was told -> Skipped: the sender decides whether to send it again
//   Stopped -> Skipped: somebody did not want it done
// An error while an application of the workflow is faulted is not counted: the request waits for the application.
import { inOrder, type Queryable, type Tx } from '../../db/index.ts'
import { isSkippedAfterErrors, webhookRetryDelayMs } from '../../engine/run/backoff.ts'
import type { EndedRun } from '../../runs/index.ts'
import { markRetried } from './hold-store.ts'
import { shareOrder } from './locks.ts'
import { backToQueue, type HeldItem, type Leaving, leaveQueue, listHeld, type Waiting } from './settle-store.ts'
import { type GivenUp, type TellDeps, tellGivenUp } from './tell-given-up.ts'

/** Runs that requests started, and retries of such runs. Runs by hand with an old request, and partial ones, leave the queue alone. */
export function holdsRequests({ runBy, processorType, webhookIds }: EndedRun): boolean {
  return webhookIds !== null && (runBy === 'Webhook' || (runBy === 'Retry' && processorType === 'Standard'))
}

export type Settled = {
  /** Accounts of which more waits. */
  withMore: ReadonlySet<string>
  /** Failed runs whose requests had all failed before. */
  repeated: ReadonlySet<string>
}

/** In the transaction that ends the runs, so a request moves exactly once, with its run. */
export async function settleRuns(deps: TellDeps, tx: Tx, ended: readonly EndedRun[]): Promise<Settled> {
  const runs = ended.filter(holdsRequests)
  if (runs.length === 0) return { withMore: new Set(), repeated: new Set() }
  const isOver = ({ status, isAwaited }: EndedRun) => status !== 'Error' || isAwaited
  const failed = runs.filter((run) => !isOver(run))
  const over = runs.filter(isOver)
  const leaving = over.flatMap(({ id: holder, status, errorMessage, webhookIds }) =>
    (webhookIds ?? []).map(
      (webhookId): Leaving =>
        status === 'Ready'
          ? { webhookId, holder, status: 'Done', errorMessage: null }
          : { webhookId, holder, status: 'Skipped', errorMessage: errorMessage ?? 'The run was stopped.' },
    ),
  )
  const retried = over.filter(({ runBy, status }) => runBy === 'Retry' && status === 'Ready')
  const workflowIds = runs.map(({ workflowId }) => workflowId)
  const share = (db: Queryable) => shareOrder(db, workflowIds)
  const mark = (db: Queryable) => (retried.length > 0 ? markRetried(db, retried) : undefined)
  if (failed.length === 0) {
    const [, , followed] = await inOrder(tx, [share, mark, (db) => leaveQueue(db, leaving)])
    return { withMore: followed, repeated: new Set() }
  }
  const messages = new Map(failed.map(({ id, errorMessage }) => [id, errorMessage]))
  const [accountIds, ids] = [failed.map(({ accountId }) => accountId), failed.map(({ id }) => id)]
  const [, , held] = await inOrder(tx, [share, mark, (db) => listHeld(db, accountIds, ids)])
  const judged = judgeErrors(held, ({ holder }) => messages.get(holder) ?? 'The run failed.')
  await Promise.all([
    leaveQueue(tx, [...leaving, ...judged.leaving]),
    backToQueue(tx, judged.waiting),
    tellGivenUp(deps, tx, judged.givenUp),
  ])
  const byRun = Map.groupBy(held, ({ holder }) => holder)
  const repeated = failed.filter(({ id }) => byRun.get(id)?.every(({ errorCounter }) => errorCounter > 0))
  return {
    withMore: new Set(runs.map(({ accountId }) => accountId)),
    repeated: new Set(repeated.map(({ id }) => id)),
  }
}

export function judgeErrors(
  items: readonly HeldItem[],
  messageOf: (item: HeldItem) => string,
): { leaving: Leaving[]; waiting: Waiting[]; givenUp: GivenUp[] } {
  const givenUp: GivenUp[] = []
  const leaving: Leaving[] = []
  const waiting: Waiting[] = []
  // What failed in one run comes back together, so that it can be one run again.
  const jitters = new Map(items.map(({ holder }) => [holder, Math.random()]))
  for (const item of items) {
    const { webhookId } = item
    const errorMessage = messageOf(item)
    if (item.isFaulted) {
      waiting.push({ webhookId, errorCounter: item.errorCounter, errorMessage, delayMs: 0 })
      continue
    }
    const errorCounter = item.errorCounter + 1
    if (isSkippedAfterErrors(errorCounter, item.skipAfterErrors)) {
      leaving.push({ webhookId, status: 'Skipped', errorMessage, errorCounter, isGivenUp: true })
      givenUp.push({ ...item, errorMessage, errorCounter })
    } else
      waiting.push({
        webhookId,
        errorCounter,
        errorMessage,
        delayMs: webhookRetryDelayMs(errorCounter, jitters.get(item.holder) ?? 0),
      })
  }
  return { leaving, waiting, givenUp }
}
