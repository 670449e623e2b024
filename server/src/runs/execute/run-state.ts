// What a worker knows of a run it holds: everything here is also recorded, so that another worker can know the same.

import type { BlockOutcome } from '../../engine/run/plan.ts'
import { type RunScope, scopeRun } from '../../engine/run/run-scope.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { Run, RunWork, SessionState } from '../run.ts'
import type { PlannedBlock, PlannedWorkflow } from './definition-cache.ts'
import type { ItemProgress } from './item-progress.ts'
import { mergeSession } from './merge-session.ts'

/** A block that ended in this run or was taken over from an earlier one. */
export type KnownBlock = {
  blockId: string
  seq: number
  outcome: BlockOutcome
  /** Text where it is large. */
  result: Json | JsonText
  errorMessage: string | null
  /** Time in which the script ran, pauses excluded. */
  activeMs: number
  pauseMs: number
  /** Calls to other services. */
  calls: number
  isReused: boolean
  /** What a target answered before the block failed. */
  response?: JsonObject
  items?: ItemCounts
}

export type ItemCounts = { total: number; succeeded: number; failed: number; skipped: number }

/** As a handler sees the failure of one of its data sources. */
export type BlockError = {
  uniqueBlockId: string
  blockName: string
  message: string
  statusCode: number | null
  response: JsonObject | null
  itemKey: string | null
}

/** What is known of the tries of a block before the one that is next. */
export type Tried = { tries: number; log: string[]; startedAt: string; pauseMs: number; calls?: string | null }

export type RunState = {
  readonly run: Run
  readonly workflow: PlannedWorkflow
  readonly scope: RunScope
  readonly outcomes: Map<string, BlockOutcome>
  readonly results: Map<string, Json | JsonText>
  readonly running: Set<string>
  /** Run time and pauses on the way to the end of each block, those of its sources included: blocks side by side do not add up. */
  readonly pathMs: Map<string, number>
  readonly pathPauseMs: Map<string, number>
  readonly work: RunWork
  /** Of blocks that failed. */
  readonly errors: Map<string, BlockError>
  /** What blocks wait for. */
  readonly waits: Map<string, RunWait>
  /** Waits that are over: their blocks end next. */
  readonly waited: Map<string, RunWait>
  /** Of blocks that failed and are to be tried again. */
  readonly tried: Map<string, Tried>
  /** Of blocks with items that ended. */
  readonly items: Map<string, ItemCounts>
  /** Where the items of blocks are that are worked on at this moment. */
  readonly progress: Map<string, ItemProgress>
  /** Blocks whose list this worker has recorded. */
  readonly wasPut: Set<string>
  /** A worker died with the run in hand. */
  isTakenFromDead: boolean
  session: SessionState
  seq: number
  pauseMs: number
  lastBlockId: string | null
  stopRequested: boolean
  failure: { blockId: string; message: string; isExpiredByTime: boolean } | undefined
}

/** Blocks that are known, in the order of recording. */
type Recorded = { known: readonly KnownBlock[]; session: SessionState; stopRequested: boolean }

export function openState(run: Run, workflow: PlannedWorkflow, { known, session, stopRequested }: Recorded): RunState {
  const state: RunState = {
    run,
    workflow,
    scope: scopeOf(run, workflow, known),
    outcomes: new Map(),
    results: new Map(),
    running: new Set(),
    pathMs: new Map(),
    pathPauseMs: new Map(),
    work: { blocks: 0, calls: 0, scriptMs: 0 },
    errors: new Map(),
    waits: new Map(),
    waited: new Map(),
    tried: new Map(),
    items: new Map(),
    progress: new Map(),
    wasPut: new Set(),
    isTakenFromDead: false,
    session,
    seq: 0,
    pauseMs: 0,
    lastBlockId: null,
    stopRequested,
    failure: undefined,
  }
  for (const block of known) addBlock(state, block)
  return state
}

export function addBlock(state: RunState, block: KnownBlock): void {
  // What an earlier run ended early with does not end this one.
  const outcome: BlockOutcome =
    block.isReused && block.outcome.kind !== 'skipped' ? { kind: 'succeeded' } : block.outcome
  state.outcomes.set(block.blockId, outcome)
  state.results.set(block.blockId, block.result)
  state.seq = Math.max(state.seq, block.seq)
  if (block.isReused || outcome.kind === 'skipped') return
  // Items count as blocks, and the block itself does not.
  state.work.blocks += block.items ? block.items.succeeded + block.items.failed : 1
  if (block.items) state.items.set(block.blockId, block.items)
  state.work.calls += block.calls
  state.work.scriptMs += block.activeMs
  state.pathMs.set(block.blockId, pathBefore(state, block.blockId) + block.activeMs)
  const pauseMs = longest(state, state.pathPauseMs, block.blockId) + block.pauseMs
  state.pathPauseMs.set(block.blockId, pauseMs)
  state.pauseMs = Math.max(state.pauseMs, pauseMs)
  state.lastBlockId = block.blockId
  if (outcome.kind === 'failed') {
    const { no, blockName, needs, onError } = state.workflow.blocks.get(block.blockId)!
    const message = `Block ${no} "${blockName}" failed: ${block.errorMessage}`
    if (needs !== 'failed' && onError !== 'continue')
      state.failure ??= { blockId: block.blockId, message, isExpiredByTime: false }
    state.errors.set(block.blockId, {
      uniqueBlockId: block.blockId,
      blockName,
      message: block.errorMessage ?? '',
      statusCode: statusOf(block.response),
      response: block.response ?? null,
      itemKey: null,
    })
  }
}

function statusOf(response: JsonObject | undefined): number | null {
  const statusCode = response?.['statusCode']
  return typeof statusCode === 'number' ? statusCode : null
}

/** What a block sees as `Datasource`. */
export function sourcesOf(state: RunState, block: PlannedBlock): (Json | JsonText)[] {
  if (block.needs !== 'failed') return block.dataSources.map((source) => state.results.get(source) ?? null)
  return block.dataSources.map((source) => {
    const error = state.errors.get(source)
    return error ? { error } : null
  })
}

/** Blocks that failed and did not end the run. */
export function countBlockErrors({ workflow, outcomes, scope }: RunState): number {
  const isTolerated = (id: string) => {
    const block = workflow.blocks.get(id)
    return outcomes.get(id)?.kind === 'failed' && block?.onError === 'continue' && block.needs !== 'failed'
  }
  return scope.blocks.filter(isTolerated).length
}

/** Run time that the sources of a block have used up. */
export function pathBefore(state: RunState, blockId: string): number {
  return longest(state, state.pathMs, blockId)
}

function longest(state: RunState, paths: ReadonlyMap<string, number>, blockId: string): number {
  const sources = state.workflow.blocks.get(blockId)?.dataSources ?? []
  return Math.max(0, ...sources.map((source) => paths.get(source) ?? 0))
}

/** Takes over what a block changed in the session; blocks side by side change the keys they touched and no others. */
export function applySession(state: RunState, before: SessionState, after: SessionState): void {
  state.session = {
    vars: mergeSession(state.session.vars, before.vars, after.vars),
    vault: mergeSession(state.session.vault, before.vault, after.vault),
    vaultGlobal: mergeSession(state.session.vaultGlobal, before.vaultGlobal, after.vaultGlobal),
  }
}

function scopeOf(run: Run, workflow: PlannedWorkflow, known: readonly KnownBlock[]): RunScope {
  if (!run.isPartial) return { blocks: workflow.order, reused: [], isPartial: false }
  const range = {
    ...(run.runFrom === null ? {} : { runFromBlock: run.runFrom }),
    ...(run.runTill === null ? {} : { runTillBlock: run.runTill }),
  }
  const stored = new Set(known.filter((block) => block.isReused).map((block) => block.blockId))
  const scope = scopeRun(workflow.chain, range, stored)
  // It was checked when the run was started, against this very revision.
  if (!scope.ok) throw new Error(`Run ${run.id} has no scope: ${scope.problems[0]?.message}`)
  return scope.value
}
