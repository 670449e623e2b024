// From a claimed run to the state in which it can go on: at once for a new one, from its records for one that others began.

import { type Contents, DamagedContentError } from '../../contents/index.ts'
import type { Database } from '../../db/index.ts'
import { blockRetryDelayMs } from '../../engine/run/backoff.ts'
import type { JsonObject } from '../../lib/json.ts'
import { STOPPED_ASLEEP } from '../../sandbox/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { contentPlace } from '../record/block-contents.ts'
import type { DayTables } from '../record/day-tables.ts'
import type { RunWaits } from '../record/wait-store.ts'
import type { RunClaim, SessionState } from '../run.ts'
import { type ClaimedRun, type FoundRun, listBlocks, type StoredBlock, takeOver, updateDeaths } from './claim-store.ts'
import type { DefinitionCache, PlannedWorkflow } from './definition-cache.ts'
import { type KnownBlock, openState, type RunState } from './run-state.ts'
import { openDeferred } from './sealed-deferred.ts'
import { readStored } from './stored-json.ts'
import { untilReachable } from './until-reachable.ts'
import { takeWaits } from './waits.ts'

export type OpenRunDeps = {
  database: Database
  keyRing: KeyRing
  contents: Pick<Contents, 'read'>
  definitions: DefinitionCache
  dayTables: DayTables
  waits: Pick<RunWaits, 'list'>
}

export type OpenedRun = {
  claim: RunClaim
  state: RunState
  /** Set when too many workers died on a block: the run must end. */
  fatalBlockId: string | undefined
  /** Why the run cannot go on from what is stored of it. */
  problem: string | undefined
  /** `carefully`: a worker died with it in hand. `alone`: its block was under way at so many deaths that it may be the cause. */
  startsAs: 'usual' | 'carefully' | 'alone'
}

/** One more is the end. */
const deathsToBeAlone = 2

/** Undefined when the workflow is gone. */
export async function openFirst(
  deps: OpenRunDeps,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<OpenedRun | undefined> {
  const workflow = await deps.definitions.get(run.accountId, run.workflowId, run.revision)
  const claim = { runId: run.id, attempt: 0, partition: run.partition }
  if (!workflow) return undefined
  return { claim, ...(await stateOf(deps, run, workflow, signal)), fatalBlockId: undefined, startsAs: 'usual' }
}

/** For a run that another worker held before. Undefined when it is over, gone, or already at a later attempt. */
export async function openTakenOver(
  deps: OpenRunDeps,
  taken: Omit<RunClaim, 'partition'>,
  signal: AbortSignal,
): Promise<OpenedRun | undefined> {
  const run = await takeOver(deps.database.system, deps.dayTables, taken)
  if (!run) return undefined
  const claim = { ...taken, partition: run.partition }
  const workflow = await deps.definitions.get(run.accountId, run.workflowId, run.revision)
  if (!workflow) return undefined
  const { state, problem } = await stateOf(deps, { ...run, hasBlocks: true }, workflow, signal)
  state.isTakenFromDead = !run.wasHandedBack
  if (workflow.mayWait) takeWaits(state, await deps.waits.list(run.accountId, run.id))
  const deaths = run.wasHandedBack ? run.deaths : countDeaths(state, run)
  await updateDeaths(deps.database.system, claim, deaths)
  const fatalBlockId = Object.keys(deaths).find(
    (blockId) => !state.outcomes.has(blockId) && blockRetryDelayMs(deaths[blockId] ?? 0, 0) === null,
  )
  const isSuspect = Object.entries(deaths).some(
    ([blockId, count]) => !state.outcomes.has(blockId) && count >= deathsToBeAlone,
  )
  const startsAs = isSuspect ? 'alone' : run.wasHandedBack ? 'usual' : 'carefully'
  return { claim, state, problem, fatalBlockId, startsAs }
}

/** Only blocks that were under way are blamed: a run that waited in the dead worker's hand has nothing to do with its death. */
function countDeaths(
  state: RunState,
  { deaths: before, underWay }: { deaths: Record<string, number>; underWay: readonly string[] },
): Record<string, number> {
  const deaths = { ...before }
  for (const blockId of underWay) if (!state.outcomes.has(blockId)) deaths[blockId] = (deaths[blockId] ?? 0) + 1
  return deaths
}

async function stateOf(
  deps: OpenRunDeps,
  run: FoundRun,
  workflow: PlannedWorkflow,
  signal: AbortSignal,
): Promise<Pick<OpenedRun, 'state' | 'problem'>> {
  const stopRequested = run.status === 'Stopping'
  const nothing = { vars: {}, vault: {}, vaultGlobal: {} }
  if (!run.hasBlocks)
    return { state: openState(run, workflow, { known: [], session: nothing, stopRequested }), problem: undefined }
  const stored = await listBlocks(deps.database.system, run.accountId, run.id)
  try {
    await untilReachable(() => readContents(deps, run, stored), signal)
    const session = await sessionAfter(deps.keyRing, run, stored)
    return {
      state: openState(run, workflow, {
        known: stored.map((block) => toKnown(block, stopRequested)),
        session,
        stopRequested,
      }),
      problem: undefined,
    }
  } catch (error) {
    if (!(error instanceof DamagedContentError)) throw error
    const problem = 'A stored result that this run needs is missing or damaged, so the run cannot continue.'
    const known = stored.map((block) => toKnown({ ...block, result: null }, stopRequested))
    return { state: openState(run, workflow, { known, session: nothing, stopRequested }), problem }
  }
}

/** Of what lies elsewhere, what going on takes: all results, and the last session. */
async function readContents({ contents }: OpenRunDeps, run: FoundRun, stored: StoredBlock[]): Promise<void> {
  for (const block of stored) {
    const key = { runId: run.id, blockId: block.blockId, accountId: run.accountId }
    block.result = await contents.read(contentPlace(key, 'result'), block.result)
    if (block === stored.at(-1)) block.session = await contents.read(contentPlace(key, 'session'), block.session)
  }
}

async function sessionAfter(keyRing: KeyRing, run: FoundRun, stored: readonly StoredBlock[]): Promise<SessionState> {
  const last = stored.at(-1)
  if (!last) return { vars: {}, vault: {}, vaultGlobal: {} }
  const at = { runId: run.id, blockId: last.blockId, accountId: run.accountId }
  return {
    vars: (last.session === null ? {} : JSON.parse(last.session)) as JsonObject,
    ...(await openDeferred(keyRing, at, last.sealedDeferred)),
  }
}

function toKnown(block: StoredBlock, stopRequested: boolean): KnownBlock {
  // The stop ended it, so it is no failure of the run.
  const wasStopped = stopRequested && block.errorMessage === STOPPED_ASLEEP
  return {
    blockId: block.blockId,
    seq: block.seq,
    outcome:
      block.status === 'Skipped'
        ? { kind: 'skipped' }
        : block.status === 'Error'
          ? { kind: wasStopped ? 'stopped' : 'failed' }
          : block.endFlag === null
            ? { kind: 'succeeded' }
            : { kind: 'endedRun', flag: block.endFlag },
    result: readStored(block.result),
    errorMessage: block.errorMessage,
    activeMs: block.activeMs,
    pauseMs: block.pauseMs,
    calls: block.calls,
    isReused: block.isReused,
    ...(block.flow?.response ? { response: block.flow.response } : {}),
    ...(block.flow?.items ? { items: block.flow.items } : {}),
  }
}
