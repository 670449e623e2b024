// One recorded run, run again against one definition.
import type { Contents } from '../contents/index.ts'
import type { Database } from '../db/index.ts'
import {
  listRecordedItems,
  openTape,
  type RecordedRun,
  type RehearsalDeps,
  rehearse,
  type ScriptPorts,
} from '../runs/index.ts'
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
  recorded: RecordedRun,
  signal: AbortSignal,
): Promise<Replayed | undefined> {
  const { accountId, runNumber } = recorded.run
  const [against, tape] = await Promise.all([
    target.forRevision(recorded.run.revision),
    openTape(deps.keyRing, { runId: recorded.run.id, accountId }, recorded.sealedTape),
  ])
  if (!against) return notReplayable(runNumber, 'The revision that the run executed is gone.')
  const calls = new RecordedCalls(deps.connections, tape, target.answers)
  const vault = new RecordedVault(tape)
  const itemsThen = await listRecordedItems(deps.database.system, accountId, recorded.run.id)
  const replayed = await rehearse(deps, {
    recorded,
    items: itemsThen,
    isCut: tape.isCut ?? false,
    workflow: against.workflow,
    webhook: tape.webhook,
    portsOf: (blockId, itemKey): ScriptPorts => ({
      vault: vault.forReader({ blockId, itemKey }),
      applications: calls.applicationsFor({ blockId, itemKey }),
      sendEmail: (_scope, message) => calls.sendEmail({ blockId, itemKey }, message),
    }),
    signal,
  })
  if (!replayed) return undefined
  const run = compareRun({
    recorded,
    itemsThen,
    isCut: tape.isCut ?? false,
    replayed,
    calls: calls.changes,
    nameOf: against.nameOf,
    masker: against.masker,
  })
  return { run, wasReady: recorded.run.status === 'Ready' }
}

export function notReplayable(runNumber: number, message: string): Replayed {
  return { run: { runNumber, outcome: 'notReplayable', message, blocks: [] }, wasReady: false }
}
