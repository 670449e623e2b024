// A recorded run, run again in the sandbox: the same plan, the same scripts' world, but others stand in for everybody outside, and
// nothing is written down.
import type { Json, JsonObject } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import type { BlockScriptDeps } from '../execute/block-script.ts'
import { type PlannedWorkflow, planWorkflow } from '../execute/definition-cache.ts'
import { executeRun } from '../execute/execution.ts'
import type { ExecutionDeps, ExecutionRecorder } from '../execute/hold.ts'
import { type KnownBlock, openState } from '../execute/run-state.ts'
import type { ItemRecord } from '../record/item-entry.ts'
import { itemsKept } from '../recording/tape.ts'
import type { BlockRecord } from '../run.ts'
import type { RecordedItem, RecordedRun } from './recorded-run-store.ts'
import { RehearsedItems } from './rehearsed-items.ts'

export type RehearsalDeps = Pick<BlockScriptDeps, 'sandbox' | 'functions' | 'secretsOf' | 'runTimeoutSeconds'> & {
  onFault(error: unknown): void
}

export type Rehearsal = {
  recorded: RecordedRun
  /** What is run; it need not be what was run then. */
  workflow: WorkflowDefinition
  /** Items of the recorded run, by block. */
  items: ReadonlyMap<string, readonly RecordedItem[]>
  /** Of the items, only those that failed and the first were recorded. */
  isCut: boolean
  webhook: Json | JsonText
  portsOf: BlockScriptDeps['portsOf']
  signal: AbortSignal
}

export type Rehearsed = {
  /** Those that ran, in the order of their ends. */
  blocks: BlockRecord[]
  /** What became of items, by block and in the order of its list. */
  items: ReadonlyMap<string, readonly ItemRecord[]>
  status: 'Ready' | 'Error' | 'Stopped'
  errorMessage: string | null
}

/** Undefined when the signal ended it. */
export async function rehearse(deps: RehearsalDeps, given: Rehearsal): Promise<Rehearsed | undefined> {
  const { recorded, webhook, signal } = given
  const workflow = planOf(given.workflow)
  const reused = recorded.blocks.filter((block) => block.isReused && workflow.blocks.has(block.blockId))
  const session = { vars: varsOf(reused.at(-1)?.session ?? null), vault: {}, vaultGlobal: {} }
  const state = openState(recorded.run, workflow, { known: reused.map(toKnown), session, stopRequested: false })
  const blocks: BlockRecord[] = []
  const items = new RehearsedItems(listCarried(given))
  let end: Pick<Rehearsed, 'status' | 'errorMessage'> | undefined
  const recorder: ExecutionRecorder = {
    record: async ({ block }) => {
      blocks.push(block)
      return 'Processing'
    },
    end: async (entry) => {
      if (entry.block) blocks.push(entry.block)
      end = entry.end
      return entry
    },
  }
  const startOf = new Map(recorded.blocks.map(({ blockId, startedAt }) => [blockId, startedAt]))
  const execution = {
    ...deps,
    recorder,
    items,
    portsOf: given.portsOf,
    clockOf: (blockId: string) => startOf.get(blockId) ?? recorded.run.createdAt,
    retryDelayMs: () => 0,
    nextEnd: inRecordedOrder(recorded, workflow),
    intents: { note: async () => true },
    sealDeferred: async () => null,
  }
  const claim = { runId: recorded.run.id, attempt: 0, partition: '' }
  const hold = {
    ...{ claim, signal, stopSignal: neverAborted },
    isStopping: () => signal.aborted,
    onSleep: () => {},
  }
  await executeRun(execution, hold, state, webhook)
  return end && { blocks, items: items.all(), status: end.status, errorMessage: end.errorMessage }
}

/**
 * Blocks that ran side by side end in the order in which they ended then: it decides what session.vars hold, and which blocks have begun
 * when one fails. A block comes as early as the earliest of those that need it, so that a new one does not hold up others; those that
 * nobody knows come last.
 */
function inRecordedOrder({ blocks }: RecordedRun, workflow: PlannedWorkflow): NonNullable<ExecutionDeps['nextEnd']> {
  const turns = new Map(blocks.map(({ blockId, seq }) => [blockId, seq]))
  const turnOf = (id: string) => turns.get(id) ?? Number.POSITIVE_INFINITY
  for (const id of workflow.order.toReversed()) {
    for (const source of workflow.blocks.get(id)!.dataSources) turns.set(source, Math.min(turnOf(source), turnOf(id)))
  }
  return (underWay) => {
    const ids = [...underWay.keys()]
    const first = ids.reduce((one, other) => (turnOf(other) < turnOf(one) ? other : one))
    return Number.isFinite(turnOf(first)) ? underWay.get(first)! : Promise.race(underWay.values())
  }
}

/** Items that are not run again: those that the recorded run had from the one it retried, and those that were not recorded. */
function listCarried({ items, isCut, recorded }: Rehearsal): Map<string, RecordedItem[]> {
  const { createdAt } = recorded.run
  return new Map(
    [...items].map(([blockId, all]) => [
      blockId,
      all.filter(
        ({ startedAt, status, result }, index) =>
          startedAt < createdAt ||
          (status === 'skipped' && result !== null) ||
          (isCut && status !== 'failed' && index >= itemsKept),
      ),
    ]),
  )
}

/** Many runs are rehearsed with one definition. */
const plans = new WeakMap<WorkflowDefinition, PlannedWorkflow>()

function planOf(workflow: WorkflowDefinition): PlannedWorkflow {
  const plan = plans.get(workflow) ?? planWorkflow(workflow)
  plans.set(workflow, plan)
  return plan
}

const neverAborted = new AbortController().signal

function toKnown({ blockId, seq, result }: RecordedRun['blocks'][number]): KnownBlock {
  return {
    blockId,
    seq,
    outcome: { kind: 'succeeded' },
    result: result === null ? null : (JSON.parse(result) as Json),
    errorMessage: null,
    activeMs: 0,
    pauseMs: 0,
    calls: 0,
    isReused: true,
  }
}

function varsOf(session: string | null): JsonObject {
  return session === null ? {} : (JSON.parse(session) as JsonObject)
}
