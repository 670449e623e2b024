// One run from the moment it is in hand until it ended, is another worker's, or is handed back.
import type { Database } from '../../db/index.ts'
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { ClaimedRun } from '../execute/claim-store.ts'
import { executeRun } from '../execute/execution.ts'
import type { ExecutionDeps, ExecutionResult, Hold } from '../execute/hold.ts'
import { type OpenedRun, type OpenRunDeps, openFirst, openTakenOver } from '../execute/open-run.ts'
import type { RunState } from '../execute/run-state.ts'
import { untilReachable } from '../execute/until-reachable.ts'
import type { RunRecorder } from '../record/recorder.ts'
import { RunTape, type TapeRoom } from '../recording/run-tape.ts'
import { type Run, type RunClaim, runQueue } from '../run.ts'
import { endFatally } from './end-fatally.ts'
import type { RunInHand } from './hand.ts'
import { markHandedBack } from './mark-store.ts'
import type { UnderWay } from './under-way.ts'

export type WorkDeps = OpenRunDeps &
  ExecutionDeps & {
    database: Database
    jobs: JobQueue
    recorder: RunRecorder
    tapeRoom: TapeRoom
    /** Accounts that are about to leave for another cell: no further block of theirs begins. */
    heldAccounts(): ReadonlySet<string>
    /** What a script sees as `webhook`. */
    loadWebhook(run: Run): Promise<Json | JsonText | undefined>
  }

/** The worker around the run. */
export type Workplace = {
  underWay: UnderWay
  isStopping(): boolean
  leaveSignal: AbortSignal
  /** Resolves when the run is the only one in hand. */
  untilAlone(run: RunInHand): Promise<void>
  onSleep(run: RunInHand, ms: number): void
}

/** `found` is absent for a run that is taken over from another worker. */
export async function workOnRun(
  deps: WorkDeps,
  place: Workplace,
  inHand: RunInHand,
  found: ClaimedRun | undefined,
): Promise<void> {
  let result: ExecutionResult = 'open'
  try {
    const { signal } = inHand.abort
    const opened = found ? await openFirst(deps, found, signal) : await openTakenOver(deps, inHand.claim, signal)
    result = opened ? await execute(deps, place, inHand, opened) : 'lost'
  } finally {
    // Blocks that are still under way belong to whoever has the run next.
    if (result !== 'ended' && result !== 'parked') inHand.abort.abort()
    const claims = [{ id: inHand.claim.runId, attempt: inHand.claim.attempt }]
    const { database, jobs } = deps
    if (result === 'lost') await jobs.finish(database.system, runQueue, claims)
    if (result === 'open') {
      await database.system.transaction(async (tx) => {
        await Promise.all([
          mustEnd(deps, place, inHand) ? markHandedBack(tx, [inHand.claim]) : undefined,
          jobs.handBack(tx, runQueue, claims),
        ])
      })
    }
  }
}

/** The worker stops, or the account leaves. */
function mustEnd({ heldAccounts }: WorkDeps, { isStopping }: Workplace, { accountId }: RunInHand): boolean {
  return isStopping() || heldAccounts().has(accountId)
}

async function execute(
  deps: WorkDeps,
  place: Workplace,
  inHand: RunInHand,
  opened: OpenedRun,
): Promise<ExecutionResult> {
  const { claim, state, fatalBlockId, problem, startsAs } = opened
  if (fatalBlockId !== undefined) {
    const { no, blockName } = state.workflow.blocks.get(fatalBlockId)!
    const message = `Block ${no} "${blockName}" failed: its worker died three times while running it.`
    return end(deps, opened, { lastBlockId: fatalBlockId, lastBlockTitle: blockName, message })
  }
  if (problem !== undefined) return end(deps, opened, { lastBlockId: null, lastBlockTitle: null, message: problem })
  const { signal } = inHand.abort
  const load = () => deps.loadWebhook(state.run)
  const webhook = state.run.webhookIds === null ? null : await untilReachable(load, signal)
  if (webhook === undefined) {
    const message = 'The webhook request of this run is no longer stored, so the run cannot continue.'
    return end(deps, opened, { lastBlockId: null, lastBlockTitle: null, message })
  }
  const { underWay } = place
  using _reserved = startsAs === 'alone' ? await underWay.reserve(claim, place.untilAlone(inHand), signal) : null
  const hold: Hold = {
    claim,
    signal,
    stopSignal: inHand.stop.signal,
    leaveSignal: place.leaveSignal,
    isStopping: () => mustEnd(deps, place, inHand),
    onSleep: (ms) => place.onSleep(inHand, ms),
    goesFirst: inHand.goesFirst,
    blocks: {
      mayBegin: async (blockId) => {
        if (startsAs !== 'usual') await underWay.beginCarefully(claim, blockId, signal)
      },
      begin: (blockId) => underWay.begin(claim, blockId),
      end: (blockId) => underWay.end(claim, blockId),
    },
  }
  const tape = newTape(deps.tapeRoom, claim, state)
  tape?.takeWebhook(webhook)
  try {
    return await executeRun(deps, { ...hold, tape }, state, webhook)
  } finally {
    tape?.release()
  }
}

async function end(
  deps: WorkDeps,
  { claim, state }: OpenedRun,
  why: Parameters<typeof endFatally>[3],
): Promise<ExecutionResult> {
  return (await endFatally(deps.recorder, claim, state, why)) ? 'ended' : 'lost'
}

function newTape(room: TapeRoom, { attempt }: RunClaim, { run, workflow }: RunState): RunTape | undefined {
  if (run.isPartial || workflow.replayRuns === 0) return undefined
  const problem =
    attempt === 0 ? null : 'The run was continued by another worker, and what it had received before was not recorded.'
  return new RunTape(room, workflow.replayRuns, problem)
}
