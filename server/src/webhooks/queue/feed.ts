// Starting what waits. One transaction starts as many requests of an account as it has free shares; whoever dies before its commit has
// started nothing, whoever dies after it has started runs that others go on with.
import { type Database, inOrder, type Tx } from '../../db/index.ts'
import { newId } from '../../lib/id.ts'
import type { JobQueue } from '../../queue/index.ts'
import { claimTries, giveBackTries, type RunStarter } from '../../runs/index.ts'
import {
  commitWithTheNext,
  countUnits,
  listLanes,
  listStartable,
  listStartableWorkflows,
  markProcessing,
  type StartableItem,
  type StartableWorkflow,
  tryLockAccount,
} from './feed-store.ts'
import { shareOrder } from './locks.ts'

export type FeedDeps = { database: Database; jobs: JobQueue; starter: Pick<RunStarter, 'startAllIn' | 'wake'> }

/** Runs and checks at once for the requests of one account: enough to keep workers busy, few enough to leave others their turn. */
const unitsPerAccountMax = 100

/** The queue of checks by skip scripts. */
export const webhookCheckQueue = 'webhook-checks'

export type CheckJob = {
  accountId: string
  workflowId: string
  /** The workflow is paused, and this is what it tries. */
  isTry?: boolean
}

/** What one run takes. */
type Unit = { workflow: StartableWorkflow; webhookIds: string[] }

export type FeedResult =
  /** Somebody else is at it at this moment. */
  | 'busy'
  /** The account has its share in hand; more starts when some of it is done. */
  | 'full'
  | 'fed'

export async function feedAccount(deps: FeedDeps, accountId: string): Promise<FeedResult> {
  return deps.database.system.transaction(async (tx) => {
    // Statements that are of no use without the lock travel with it all the same: a round trip costs more than they do.
    const [isOurs, units, workflows] = await inOrder(tx, [
      (db) => tryLockAccount(db, accountId),
      (db) => countUnits(db, accountId),
      (db) => listStartableWorkflows(db, accountId),
    ])
    if (!isOurs) return 'busy'
    const free = unitsPerAccountMax - units
    if (free <= 0) return 'full'
    if (workflows.length === 0) return 'fed'
    // Rows of workflows are locked before those of the queue.
    const paused = workflows.filter(({ isTry }) => isTry).map(({ workflowId }) => workflowId)
    const trying = await claimTries(tx, paused)
    const startable = workflows.filter(({ isTry, workflowId }) => !isTry || trying.has(workflowId))
    if (startable.length === 0) return 'fed'
    const chosen = takeTurns(await listUnits(tx, accountId, startable, free)).slice(0, free)
    for (const { workflow } of chosen) trying.delete(workflow.workflowId)
    await Promise.all([
      giveBackTries(tx, [...trying]),
      commitWithTheNext(tx),
      startChecks(deps, tx, accountId, chosen.filter(hasCheck)),
      startRuns(
        deps.starter,
        tx,
        accountId,
        chosen.filter((unit) => !hasCheck(unit)),
      ),
    ])
    return chosen.length === free ? 'full' : 'fed'
  })
}

function hasCheck({ workflow }: Unit): boolean {
  return workflow.hasSkipScript
}

async function listUnits(
  tx: Tx,
  accountId: string,
  workflows: readonly StartableWorkflow[],
  free: number,
): Promise<Unit[]> {
  const wanted = workflows.map(({ workflowId, isBatch, batchSize, isTry }) => {
    const units = isTry ? 1 : free
    return { workflowId, isTry, count: isBatch ? units * batchSize : units }
  })
  const ids = workflows.map(({ workflowId }) => workflowId)
  const [, items] = await inOrder(tx, [(db) => shareOrder(db, ids), (db) => listStartable(db, accountId, wanted)])
  const heads = workflows.flatMap(({ workflowId, isBatch, batchSize }) =>
    isBatch
      ? items.flatMap((item) =>
          item.workflowId === workflowId && item.lane !== null
            ? [{ workflowId, lane: item.lane, count: batchSize }]
            : [],
        )
      : [],
  )
  const lanes = heads.length > 0 ? await listLanes(tx, heads.slice(0, free)) : new Map<string, string[]>()
  return workflows.flatMap((workflow) => {
    const own = items.filter((item) => item.workflowId === workflow.workflowId)
    const groups = groupItems(workflow, own, lanes)
    return (workflow.isTry ? groups.slice(0, 1) : groups).map((webhookIds) => ({ workflow, webhookIds }))
  })
}

function groupItems(
  { workflowId, isBatch, batchSize }: StartableWorkflow,
  items: readonly StartableItem[],
  lanes: ReadonlyMap<string, string[]>,
): string[][] {
  if (!isBatch) return items.map(({ webhookId }) => [webhookId])
  const groups: string[][] = []
  const free = items.filter(({ lane }) => lane === null).map(({ webhookId }) => webhookId)
  for (let at = 0; at < free.length; at += batchSize) groups.push(free.slice(at, at + batchSize))
  for (const { lane } of items) {
    const ids = lane === null ? undefined : lanes.get(`${workflowId} ${lane}`)
    if (ids && ids.length > 0) groups.push(ids)
  }
  return groups
}

/** One of each workflow before the second of any. */
function takeTurns(units: readonly Unit[]): Unit[] {
  const turns = new Map<StartableWorkflow, number>()
  return units
    .map((unit) => {
      const turn = turns.get(unit.workflow) ?? 0
      turns.set(unit.workflow, turn + 1)
      return { unit, turn }
    })
    .sort((one, other) => one.turn - other.turn)
    .map(({ unit }) => unit)
}

/** Returns the requests that runs were started for: a workflow may have been archived a moment ago. */
export async function startRuns(
  starter: FeedDeps['starter'],
  tx: Tx,
  accountId: string,
  units: readonly Unit[],
): Promise<Set<string>> {
  if (units.length === 0) return new Set()
  const started = await starter.startAllIn(
    tx,
    units.map(({ workflow, webhookIds }) => ({
      accountId,
      workflowId: workflow.workflowId,
      runBy: 'Webhook',
      webhookIds,
      isWebhookBatch: workflow.isBatch,
      movesDateLastRun: workflow.movesDateLastRun,
      isAwaited: workflow.answers,
    })),
  )
  const taken = units.flatMap(({ webhookIds }, index) => {
    const run = started[index]
    return run ? webhookIds.map((webhookId) => ({ webhookId, holder: run.id, runNumber: run.runNumber })) : []
  })
  if (taken.length > 0) await markProcessing(tx, taken)
  tx.afterCommit(() => starter.wake())
  return new Set(taken.map(({ webhookId }) => webhookId))
}

async function startChecks({ jobs }: FeedDeps, tx: Tx, accountId: string, units: readonly Unit[]): Promise<void> {
  if (units.length === 0) return
  const checks = units.map((unit) => ({ ...unit, id: newId() }))
  await Promise.all([
    jobs.sendMany(
      tx,
      webhookCheckQueue,
      checks.map(({ id, workflow }) => ({
        id,
        groupId: accountId,
        data: { accountId, workflowId: workflow.workflowId, isTry: workflow.isTry } satisfies CheckJob,
      })),
    ),
    markProcessing(
      tx,
      checks.flatMap(({ id, webhookIds }) =>
        webhookIds.map((webhookId) => ({ webhookId, holder: id, runNumber: null })),
      ),
    ),
  ])
  tx.afterCommit(() => jobs.hint(webhookCheckQueue))
}
