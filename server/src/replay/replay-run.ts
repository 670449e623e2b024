// One recorded run, run again against one definition.
import type { Contents } from '../contents/index.ts'
import type { Database, Scope } from '../db/index.ts'
import { findRecordedRun, openTape, type RehearsalDeps, rehearse, type ScriptPorts } from '../runs/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { compareRun, type ReplayedRun } from './compare.ts'
import { RecordedCalls } from './recorded-calls.ts'
import { RecordedVault } from './recorded-vault.ts'
import type { ReplayTarget, TargetDeps } from './replay-target.ts'

export type ReplayDeps = RehearsalDeps &
  TargetDeps & { database: Database; keyRing: KeyRing; contents: Pick<Contents, 'read'> }

/** `wasReady`: the recorded run succeeded. */
export type Replayed = { run: ReplayedRun; wasReady: boolean }

/** Undefined when the signal ended it. */
export async function replayRun(
  deps: ReplayDeps,
  target: ReplayTarget,
  runNumber: number,
  signal: AbortSignal,
): Promise<Replayed | undefined> {
  const { accountId, organizationId, workflowId } = target.workflow
  const scope: Scope = { accountId, organizationId }
  const recorded = await findRecordedRun(
    { ...deps, db: deps.database.forScope(scope) },
    accountId,
    workflowId,
    runNumber,
  )
  if ('problem' in recorded) return notReplayable(runNumber, recorded.problem)
  const [against, tape] = await Promise.all([
    target.forRevision(recorded.run.revision),
    openTape(deps.keyRing, { runId: recorded.run.id, accountId }, recorded.sealedTape),
  ])
  if (!against) return notReplayable(runNumber, 'The revision that the run executed is gone.')
  const calls = new RecordedCalls(deps.connections, tape, target.answers)
  const vault = new RecordedVault(tape)
  const replayed = await rehearse(deps, {
    recorded,
    workflow: against.workflow,
    webhook: tape.webhook,
    portsOf: (blockId): ScriptPorts => ({
      vault: vault.forBlock(blockId),
      applications: calls.applicationsFor(blockId),
      sendEmail: (_scope, message) => calls.sendEmail(blockId, message),
    }),
    signal,
  })
  if (!replayed) return undefined
  const run = compareRun({ recorded, replayed, calls: calls.changes, nameOf: against.nameOf, mask: against.mask })
  return { run, wasReady: recorded.run.status === 'Ready' }
}

function notReplayable(runNumber: number, message: string): Replayed {
  return { run: { runNumber, outcome: 'notReplayable', message, blocks: [] }, wasReady: false }
}
