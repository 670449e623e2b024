// One recorded run, run again against one definition.
import type { Connections } from '../connections/index.ts'
import type { Database, Scope } from '../db/index.ts'
import { findRecordedRun, openTape, type RehearsalDeps, rehearse, type ScriptPorts } from '../runs/index.ts'
import { createMasker } from '../sandbox/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { WorkflowDefinition } from '../workflows/index.ts'
import { compareRun, type ReplayedRun } from './compare.ts'
import { type GivenAnswer, RecordedCalls } from './recorded-calls.ts'
import { RecordedVault } from './recorded-vault.ts'

export type ReplayDeps = RehearsalDeps & {
  database: Database
  keyRing: KeyRing
  connections: Pick<Connections, 'addressOf' | 'secretsOf'>
  findDefinition(accountId: string, workflowId: string, revision?: number): Promise<WorkflowDefinition | undefined>
}

/** What runs are run again against. */
export type ReplayTarget = {
  workflow: WorkflowDefinition
  /** Variables whose new values count; the others keep what was recorded. */
  namedVariables: readonly string[]
  answers: readonly GivenAnswer[]
}

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
  const recorded = await findRecordedRun(deps.database.forScope(scope), accountId, workflowId, runNumber)
  if ('problem' in recorded) return notReplayable(runNumber, recorded.problem)
  const before = await deps.findDefinition(accountId, workflowId, recorded.run.revision)
  if (!before) return notReplayable(runNumber, 'The revision that the run executed is gone.')
  const tape = await openTape(deps.keyRing, { runId: recorded.run.id, accountId }, recorded.sealedTape)
  const workflow = withRecordedVariables(target, before)
  const calls = new RecordedCalls(deps.connections, tape, target.answers)
  const vault = new RecordedVault(tape)
  const replayed = await rehearse(deps, {
    recorded,
    workflow,
    webhook: tape.webhook,
    portsOf: (blockId): ScriptPorts => ({
      vault: vault.forBlock(blockId),
      applications: calls.applicationsFor(blockId),
      sendEmail: (_scope, message) => calls.sendEmail(blockId, message),
    }),
    signal,
  })
  if (!replayed) return undefined
  const credentials = await deps.connections.secretsOf(scope, Object.values(workflow.applications))
  const masker = createMasker([...workflow.secrets, ...credentials])
  const names = new Map([...before.chain, ...workflow.chain].map((block) => [block.uniqueBlockId, block.blockName]))
  const run = compareRun({
    recorded,
    replayed,
    calls: calls.changes,
    nameOf: (blockId) => names.get(blockId) ?? '',
    mask: (text) => masker.text(text),
  })
  return { run, wasReady: recorded.run.status === 'Ready' }
}

function notReplayable(runNumber: number, message: string): Replayed {
  return { run: { runNumber, outcome: 'notReplayable', message, blocks: [] }, wasReady: false }
}

/** Recorded variables hold unless the change names them or gave them another type. */
function withRecordedVariables(target: ReplayTarget, before: WorkflowDefinition): WorkflowDefinition {
  const { workflow, namedVariables } = target
  const variables = Object.entries(workflow.variables).map(([name, variable]): [string, typeof variable] => {
    const known = Object.hasOwn(before.variables, name) ? before.variables[name] : undefined
    const holds = known?.type === variable.type && !namedVariables.includes(name)
    return [name, holds ? { ...variable, value: known.value } : variable]
  })
  return {
    ...workflow,
    variables: Object.fromEntries(variables),
    secrets: [...new Set([...workflow.secrets, ...before.secrets])],
  }
}
