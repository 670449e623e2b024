import { listRecorded } from '../runs/index.ts'
import { type Definition, runnableOf } from '../workflows/index.ts'
import { type ReplayDeps, replayRun } from './replay-run.ts'
import { ReplayTarget } from './replay-target.ts'
import { inParallel } from './worker.ts'

type ChangeRehearsal = {
  accountId: string
  workflowId: string
  /** What the workflow is to become. */
  definition: Definition
  lastRuns: number
  signal: AbortSignal
}

const runsAtOnce = 4

/** Replays the last runs against a definition. Returns why the change must not be made: the first run that was Ready and fails now. */
export async function findBrokenRun(
  deps: ReplayDeps,
  { accountId, workflowId, definition, lastRuns, signal }: ChangeRehearsal,
): Promise<{ runNumber: number; message: string } | undefined> {
  const stored = await deps.findDefinition(accountId, workflowId)
  if (!stored) return undefined
  const workflow = runnableOf({ ...stored, id: workflowId }, definition)
  const scope = { accountId, organizationId: stored.organizationId }
  const runNumbers = await listRecorded(deps.database.forScope(scope), accountId, workflowId, lastRuns)
  const target = new ReplayTarget(deps, { workflow, namedVariables: [], answers: [] })
  const broken: { runNumber: number; message: string }[] = []
  await inParallel(runsAtOnce, runNumbers, async (runNumber) => {
    const replayed = await replayRun(deps, target, runNumber, signal)
    if (!replayed) throw new Error('The worker stops.')
    const { run, wasReady } = replayed
    if (run.outcome === 'failed' && wasReady) broken.push({ runNumber, message: run.message ?? 'A block failed.' })
  })
  return broken.sort((one, other) => other.runNumber - one.runNumber)[0]
}
