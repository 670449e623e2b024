import type { BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import type { JobQueue } from '../queue/index.ts'
import { listRecorded } from '../runs/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { Definition, WorkflowDefinition, WorkflowInput } from '../workflows/index.ts'
import { type ReplayRequest, sealRequest } from './sealed-replay.ts'
import { countRunning, insertReplay, insertReplayRuns } from './store.ts'

export const replayQueue = 'replays'

export type StartReplayDeps = {
  database: Database
  keyRing: KeyRing
  jobs: JobQueue
  findDefinition(accountId: string, workflowId: string, revision?: number): Promise<WorkflowDefinition | undefined>
  /** The newest revision with changes that are not saved; refused for what an update would be refused for. */
  previewChange(principal: Principal, workflowId: string, changes: WorkflowInput): Promise<Definition>
}

const lastRunsDefault = 10
const runningMax = 50

export async function startReplay(
  deps: StartReplayDeps,
  principal: Principal,
  workflowId: string,
  body: BodyOf<Operations['ReplayStart']>,
): Promise<{ replayId: string }> {
  if (body.runNumbers !== undefined && body.lastRuns !== undefined)
    throw invalid('Give runNumbers or lastRuns, not both.')
  if (body.revision !== undefined && body.changes !== undefined) throw invalid('Give revision or changes, not both.')
  const scope = scopeOf(principal)
  const { accountId } = scope
  const request = await describeRequest(deps, principal, workflowId, body)
  const db = deps.database.forScope(scope)
  const recorded = () => listRecorded(db, accountId, workflowId, body.lastRuns ?? lastRunsDefault)
  const runNumbers = body.runNumbers ? [...new Set(body.runNumbers)] : await recorded()
  const id = newId()
  const sealedRequest = await sealRequest(deps.keyRing, { id, accountId }, request)
  await db.transaction(async (tx) => {
    if ((await countRunning(tx, accountId)) >= runningMax)
      throw invalid(`At most ${runningMax} replays run at once. Wait until one of them is done.`)
    await insertReplay(tx, { id, accountId, workflowId, sealedRequest })
    await Promise.all([
      insertReplayRuns(tx, { id, accountId }, runNumbers),
      deps.jobs.send(tx, replayQueue, { replayId: id }),
      recordAudit(tx, actorOf(principal), {
        action: 'workflow.replayed',
        target: workflowId,
        details: { replayId: id, runs: runNumbers.length },
      }),
    ])
  })
  deps.jobs.hint(replayQueue)
  return { replayId: id }
}

async function describeRequest(
  deps: StartReplayDeps,
  principal: Principal,
  workflowId: string,
  { changes, revision, answers = [] }: BodyOf<Operations['ReplayStart']>,
): Promise<ReplayRequest> {
  const { accountId } = scopeOf(principal)
  const newest = await deps.findDefinition(accountId, workflowId)
  if (!newest) throw notFound('workflow')
  if (changes !== undefined) {
    const definition = await deps.previewChange(principal, workflowId, changes as WorkflowInput)
    return { definition, namedVariables: Object.keys(changes.variables ?? {}), answers }
  }
  const wanted = revision ?? newest.revision
  const found = wanted === newest.revision ? newest : await deps.findDefinition(accountId, workflowId, wanted)
  if (!found) throw notFound('revision')
  return { revision: wanted, namedVariables: [], answers }
}
