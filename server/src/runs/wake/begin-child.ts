// A block starts a run of another workflow: the run, its job and the wait of the block are one transaction, so there is one run for each block and item,
// whatever dies. In a retry, a run that failed before is retried from its failed block.
import type { Tx } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { insertWait, type RunWait } from '../record/wait-store.ts'
import type { RunClaim } from '../run.ts'
import { type PreparedRetry, prepareRetry, startRetry } from '../start/retry.ts'
import type { StartDeps } from '../start/start.ts'
import type { ParentRun } from '../start/start-store.ts'
import { adoptRun, type ChildOf, findPreviousChild, updateWait } from './child-store.ts'

export type NewChild = {
  workflowId: string
  /** JSON text. */
  input: string | null
  /** As the child shows it. */
  parentRun: ParentRun
  level: number
  isErrorRun: boolean
  /** The first run of the row of retries that the parent is part of. */
  rootId: string
  /** Data sources of the block. */
  sources: readonly string[]
}

type ChildRun = { id: string; runNumber: number }
type Begun = { child: ChildRun; outcome: string | null }

/** `detailsOf`: what is kept of the block, which names the run. */
export type ChildWait = Omit<RunWait, 'outcome' | 'details'> & { detailsOf(child: ChildRun): string }

/** `failure`: why there is no run. */
export type BegunChild = { details: string; outcome: string | null } | { failure: string } | 'lost'

/** The workflow may be saved at the very moment. */
const attemptsMax = 5

export async function beginChild(
  deps: StartDeps,
  claim: RunClaim,
  { wait, accountId }: { wait: ChildWait; accountId: string },
  child: NewChild,
): Promise<BegunChild> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToBegin(deps, claim, { wait, accountId }, child)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'workflow_not_deployed' || error.code === 'not_found')
        return { failure: `The workflow ${child.workflowId} is not deployed, so it was not started.` }
      if (attempt === attemptsMax) return { failure: error.message }
    }
  }
}

async function tryToBegin(
  deps: StartDeps,
  claim: RunClaim,
  { wait, accountId }: { wait: ChildWait; accountId: string },
  child: NewChild,
): Promise<BegunChild> {
  const { system } = deps.database
  const { detailsOf, ...others } = wait
  const { runId } = claim
  const { workflowId, rootId, sources, parentRun, level } = child
  const isRetry = rootId !== runId
  const place = { rootId, runId, accountId, workflowId, blockId: wait.blockId, itemKey: parentRun.itemKey, sources }
  const previous = isRetry ? await findPreviousChild(system, place) : undefined
  const key = previous && { accountId, workflowId, runNumber: previous.runNumber }
  const prepared = key && (await prepareRetry(deps, key))
  const parent: ChildOf = { runId, itemIndex: wait.itemIndex, level, shown: parentRun }
  return system.transaction(async (tx) => {
    if (!(await insertWait(tx, claim, accountId, { ...others, details: '{}' }))) return 'lost'
    const begun =
      previous && prepared
        ? await retry(deps, tx, { prepared, previous, parent, child })
        : { child: await start(deps, tx, { accountId, parent, child }), outcome: null }
    const details = detailsOf(begun.child)
    const { outcome } = begun
    await updateWait(tx, { runId, blockId: wait.blockId, itemIndex: wait.itemIndex }, { details, outcome })
    return { details, outcome }
  })
}

async function start(
  { starter }: StartDeps,
  tx: Tx,
  { accountId, parent, child }: { accountId: string; parent: ChildOf; child: NewChild },
): Promise<ChildRun> {
  const { workflowId, input, isErrorRun } = child
  tx.afterCommit(() => starter.wake())
  return starter.startIn(tx, {
    ...{ accountId, workflowId, runBy: 'Workflow', parent, isErrorRun },
    ...(input === null ? {} : { input }),
  })
}

/** One that somebody retried meanwhile, or that ended well after all, is taken as it is. */
async function retry(
  deps: StartDeps,
  tx: Tx,
  of: { prepared: PreparedRetry; previous: ChildRun; parent: ChildOf; child: NewChild },
): Promise<Begun> {
  const { prepared, previous, parent, child } = of
  tx.afterCommit(() => deps.starter.wake())
  try {
    const { started, standing } = await startRetry(deps, tx, prepared, { parent, isErrorRun: child.isErrorRun })
    if (started) return { child: started, outcome: null }
    return await adopt(tx, standing, parent)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'run_not_failed') throw error
    return adopt(tx, previous, parent)
  }
}

async function adopt(tx: Tx, run: ChildRun, parent: ChildOf): Promise<Begun> {
  const ended = await adoptRun(tx, run.id, parent)
  return { child: { id: run.id, runNumber: run.runNumber }, outcome: ended ? JSON.stringify(ended) : null }
}
