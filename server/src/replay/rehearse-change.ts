import { listRecorded } from '../runs/index.ts'
import { type Definition, runnableOf } from '../workflows/index.ts'
import type { ReplayDeps } from './replay-run.ts'
import { replayRuns } from './replay-runs.ts'
import { ReplayTarget } from './replay-target.ts'

type ChangeRehearsal = {
  accountId: string
  workflowId: string
  /** What the workflow is to become. */
  definition: Definition
  lastRuns: number
  signal: AbortSignal
}

const atOnce = 4

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
  await replayRuns(deps, target, {
    ...{ runNumbers, atOnce, signal },
    onReplayed: async ({ run, wasReady }) => {
      if (run.outcome === 'failed' && wasReady)
        broken.push({ runNumber: run.runNumber, message: run.message ?? 'A block failed.' })
    },
  })
  return broken.sort((one, other) => other.runNumber - one.runNumber)[0]
}
