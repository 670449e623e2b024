// A block, or an item of one, that is a run of another workflow: what that run is given, and its start.
import { inputBytesMax } from '@patchbay/contract'
import type { Json } from '../../lib/json.ts'
import { type JsonText, jsonOf, textOf } from '../../lib/json-text.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { RunClaim } from '../run.ts'
import type { BlockScriptDeps } from './block-script.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { type Around, evaluate } from './expression.ts'
import { sourcesOf } from './run-state.ts'

type ParentRun = { workflowId: string; runNumber: number; uniqueBlockId: string; itemKey: string | null }
export type StartedChild = { id: string; workflowId: string; runNumber: number }

/** Starts runs of other workflows. */
export type ChildStarts = {
  /** `outcome`: of a run that ended before. `failure`: why there is none. */
  beginChild(
    claim: RunClaim,
    accountId: string,
    wait: Omit<RunWait, 'outcome' | 'details'> & { detailsOf(child: { id: string; runNumber: number }): string },
    child: {
      workflowId: string
      input: string | null
      level: number
      isErrorRun: boolean
      parentRun: ParentRun
      rootId: string
      sources: readonly string[]
    },
  ): Promise<{ details: string; outcome: string | null } | { failure: string } | 'lost'>
}

export type ChildDeps = BlockScriptDeps & {
  /** Absent where nothing really waits. */
  waitStarter?: ChildStarts
  /** The result of a run that ended; undefined when the run is gone. */
  readResult?(runId: string): Promise<JsonText | null | undefined>
}

export type ChildUnit = {
  block: PlannedBlock
  /** What the script returned. */
  returned: Json | JsonText
  item?: { item: Json; index: number; itemKey: string }
  /** What is kept until the run has ended. */
  detailsOf(child: StartedChild): string
}

/** The first run is level 1. */
const levelsMax = 5

export async function startChild(
  deps: ChildDeps,
  { claim, around }: { claim: RunClaim; around: Omit<Around, 'block'> },
  unit: ChildUnit,
): Promise<{ wait: RunWait } | { failure: string } | 'lost'> {
  const { block, item, detailsOf } = unit
  const { run } = around.state
  if (!deps.waitStarter) return { failure: 'Sub-workflows are not run here.' }
  if (run.level >= levelsMax)
    return { failure: `The sub-workflow was not started: runs are at most ${levelsMax} levels deep.` }
  const found = await findInput(deps, around, unit)
  if ('failure' in found) return found
  const text = textOf(found.value)
  if (Buffer.byteLength(text) > inputBytesMax) return { failure: 'The input of the sub-workflow is larger than 1 MiB.' }
  const { uniqueBlockId: blockId, dataSources: sources } = block
  const workflowId = block.subWorkflow?.workflowId?.toLowerCase() ?? ''
  const wait = { blockId, itemIndex: item?.index ?? -1, kind: 'subWorkflow' as const, dueAt: null }
  const begun = await deps.waitStarter.beginChild(
    claim,
    run.accountId,
    { ...wait, detailsOf: (child) => detailsOf({ id: child.id, workflowId, runNumber: child.runNumber }) },
    {
      workflowId,
      input: text === 'null' ? null : text,
      level: run.level + 1,
      isErrorRun: run.isErrorRun,
      parentRun: {
        workflowId: run.workflowId,
        runNumber: run.runNumber,
        uniqueBlockId: blockId,
        itemKey: item?.itemKey ?? null,
      },
      rootId: run.rootId,
      sources,
    },
  )
  return begun === 'lost' || 'failure' in begun ? begun : { wait: { ...wait, ...begun } }
}

/** By default what the script returned; without a script the item, else the first data source. */
async function findInput(
  deps: ChildDeps,
  around: Omit<Around, 'block'>,
  { block, returned, item }: ChildUnit,
): Promise<{ value: Json | JsonText } | { failure: string }> {
  const source = block.subWorkflow?.input
  if (source !== undefined) {
    const extras = { ...item, prepared: jsonOf(returned) }
    const found = await evaluate(deps, { ...around, block }, { what: 'The input', source, extras })
    return found.ok ? { value: found.value } : { failure: found.failure.message }
  }
  if (block.script.trim() !== '') return { value: returned }
  return { value: item ? item.item : (sourcesOf(around.state, block)[0] ?? null) }
}

/** The value of a block or item whose run has ended. */
export async function childValue(
  deps: Pick<ChildDeps, 'readResult'>,
  outcome: string | null,
  child: StartedChild | undefined,
): Promise<{ value: Json | JsonText } | { failure: string }> {
  const end = JSON.parse(outcome ?? '{}') as { status?: string; errorMessage?: string | null }
  if (end.status !== 'Ready' || !child)
    return { failure: end.errorMessage ?? `Run ${child?.runNumber ?? ''} of the sub-workflow was stopped.` }
  const value = await deps.readResult?.(child.id)
  if (value === undefined) return { failure: `Run ${child.runNumber} of the sub-workflow is no longer stored.` }
  return { value }
}
