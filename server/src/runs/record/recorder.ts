// The recorder commits what workers found out: results of blocks and ends of runs, those of the same moment together.

import type { Contents } from '../../contents/index.ts'
import {
  type Beside,
  type Database,
  isAway,
  isTransient,
  oneByOne,
  type Scope,
  type Tx,
  together,
} from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import type { JobQueue } from '../../queue/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { StorageLedger } from '../../storage/index.ts'
import { type BlockRecord, claimKey, type EndedRun, type RunNews, type RunStatus, runQueue } from '../run.ts'
import type { NewAnswer } from '../webhook-answer.ts'
import { keepBlock } from './block-contents.ts'
import { type BlockEntry, type DeferredVault, type EndEntry, type OnRunsEnded, weight } from './entries.ts'
import { persist } from './persist.ts'
import { type EndedRunRow, endRuns, recordBlocks } from './record-store.ts'
import { insertRecordings, type SealedRecording, sealRecordings } from './recording-store.ts'
import { sumUpOutcomes } from './sum-up-outcomes.ts'
import { deleteWaits } from './wait-store.ts'
import { updateWorkflowOutcomes } from './workflow-outcome-store.ts'

type Deps = {
  database: Database
  keyRing: KeyRing
  contents: Pick<Contents, 'isOn' | 'keep' | 'keepSealed'>
  jobs: JobQueue
  vault: DeferredVault
  onRunsEnded: OnRunsEnded
  answers: { insert(tx: Tx, answers: readonly NewAnswer[]): Promise<void> }
  news: Pick<RunNews, 'onBlockEnded'>
  ledger: Pick<StorageLedger, 'add'>
  onFault(error: unknown): void
}

/** Behind the record of a block its next one waits, in a realm that grows cold; nothing waits for the end of a run. */
const gatherBlocksMs = 5
const gatherEndsMs = 12

export class RunRecorder {
  readonly #deps: Deps
  #isBusy: () => boolean = () => false
  readonly #blocks: GroupCommit<BlockEntry, RunStatus | undefined>
  readonly #ends: GroupCommit<EndEntry, EndedRun | undefined>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#blocks = new GroupCommit<BlockEntry, RunStatus | undefined>((entries) => this.#recordAll(entries), {
      batchesAtOnce: 2,
      itemsMax: 100,
      gatherMs: () => this.#gatherMs(gatherBlocksMs),
      weight,
      isShared: isAway,
    })
    this.#ends = new GroupCommit<EndEntry, EndedRun | undefined>((entries) => this.#endAll(entries), {
      batchesAtOnce: 1,
      itemsMax: 100,
      gatherMs: () => this.#gatherMs(gatherEndsMs),
      weight,
      isShared: isAway,
    })
  }

  /** With many runs in hand one of them waits for others, so that fewer transactions serve them all. */
  gatherWhile(isBusy: () => boolean): void {
    this.#isBusy = isBusy
  }

  #gatherMs(underLoad: number): number {
    return this.#isBusy() ? underLoad : 0
  }

  /** The status of the run, or undefined when another worker owns it now. */
  record(entry: BlockEntry): Promise<RunStatus | undefined> {
    this.#aside(() => this.#deps.ledger.add(entry.scope.accountId, weight.of(entry)))
    if (!this.#deps.contents.isOn) return persist(this.#deps.onFault, () => this.#blocks.add(entry))
    return this.#keep(entry, entry.block).then((block) =>
      persist(this.#deps.onFault, () => this.#blocks.add({ ...entry, block })),
    )
  }

  /** Undefined when another worker owns the run now. */
  end(entry: EndEntry): Promise<EndedRun | undefined> {
    this.#aside(() => this.#deps.ledger.add(entry.scope.accountId, weight.of(entry)))
    if (!this.#deps.contents.isOn || !entry.block) return persist(this.#deps.onFault, () => this.#ends.add(entry))
    return this.#keep(entry, entry.block).then((block) =>
      persist(this.#deps.onFault, () => this.#ends.add({ ...entry, block })),
    )
  }

  /** Durable elsewhere before the transaction that refers to it begins, and before that waits for others. */
  #keep({ claim, scope }: Pick<BlockEntry, 'claim' | 'scope'>, block: BlockRecord): Promise<BlockRecord> {
    return keepBlock(this.#deps.contents, { runId: claim.runId, accountId: scope.accountId }, block)
  }

  async drain(): Promise<void> {
    await Promise.all([this.#blocks.drain(), this.#ends.drain()])
  }

  async #recordAll(entries: BlockEntry[]): Promise<(RunStatus | undefined)[]> {
    const { system } = this.#deps.database
    const answering = entries.filter(({ block }) => block.answer)
    const rows = entries.map(withAccount)
    // A single statement is a transaction of its own.
    const statuses =
      answering.length === 0
        ? await recordBlocks(system, rows)
        : await system.transaction(async (tx) => {
            const found = await recordBlocks(tx, rows)
            await this.#answer(
              tx,
              answering.filter(({ claim }) => found.has(claimKey(claim))),
            )
            return found
          })
    for (const entry of entries) if (statuses.has(claimKey(entry.claim))) this.#tellBlock(entry)
    return entries.map(({ claim }) => statuses.get(claimKey(claim)))
  }

  /** A run whose end cannot be recorded for replay, counted, indexed or announced ends all the same, and what failed is told. */
  async #endAll(entries: EndEntry[]): Promise<(EndedRun | undefined)[]> {
    const recordings = await this.#sealRecordings(entries)
    try {
      return await this.#endWith(entries, recordings, together)
    } catch (error) {
      // Of several each is tried by itself next; a database that is away is asked again.
      if (entries.length > 1 || isTransient(error)) throw error
      return await this.#endWith(entries, recordings, oneByOne(this.#deps.onFault))
    }
  }

  async #endWith(
    entries: readonly EndEntry[],
    recordings: readonly SealedRecording[],
    beside: Beside,
  ): Promise<(EndedRun | undefined)[]> {
    const { database, jobs, onRunsEnded } = this.#deps
    return database.system.transaction(async (tx) => {
      const byClaim = await endRuns(
        tx,
        entries.map((entry) => ({ ...withAccount(entry), block: entry.block })),
      )
      const ended = entries.map(({ claim }) => byClaim.get(claimKey(claim)))
      const pairs = entries.flatMap((entry, index) => {
        const run = ended[index]
        return run ? [{ entry, run }] : []
      })
      const claims = entries.map(({ claim }) => ({ id: claim.runId, attempt: claim.attempt }))
      const outcomes = sumUpOutcomes(
        pairs.map(({ entry, run }) => ({ ...run, movesDateLastRun: entry.onSuccess.movesDateLastRun })),
      )
      const effects = outcomes.length > 0 ? updateWorkflowOutcomes(tx, outcomes) : Promise.resolve([])
      const replayable = recordings.filter(({ runId }) => pairs.some(({ run }) => isReplayable(run, runId)))
      await beside(
        tx,
        [
          effects,
          jobs.finish(tx, runQueue, claims),
          deleteWaits(
            tx,
            pairs.flatMap(({ entry, run }) => (entry.mayWait ? [run.id] : [])),
          ),
          ...pairs.map(({ entry, run }) => this.#writeDeferred(tx, entry, run)),
        ],
        [
          (part) => insertRecordings(part, replayable),
          // Where the recording itself was refused, the reason takes its place.
          ...(beside === together ? [] : [(part: Tx) => insertRecordings(part, replayable.map(unrecorded))]),
        ],
      )
      tx.afterCommit(() => {
        for (const { entry } of pairs) this.#tellBlock(entry)
      })
      const runs = pairs.map(({ entry, run }) => ({ ...run, outputBlock: entry.outputBlock, mayWait: entry.mayWait }))
      await this.#answer(
        tx,
        pairs.map(({ entry }) => entry),
      )
      if (pairs.length > 0) await onRunsEnded(tx, runs, await effects, beside)
      return ended
    })
  }

  /** With the record of the block that gave it. */
  async #answer(tx: Tx, entries: readonly (BlockEntry | EndEntry)[]): Promise<void> {
    const answers = entries.flatMap(({ claim, scope, workflowId, block }) =>
      block?.answer ? [{ ...block.answer, accountId: scope.accountId, workflowId, runId: claim.runId }] : [],
    )
    if (answers.length > 0) await this.#deps.answers.insert(tx, answers)
  }

  #sealRecordings(entries: readonly EndEntry[]): Promise<SealedRecording[]> {
    const recorded = entries.flatMap(({ claim, scope, workflowId, runNumber, recording }) =>
      recording ? [{ runId: claim.runId, accountId: scope.accountId, workflowId, runNumber, recording }] : [],
    )
    return sealRecordings(this.#deps, recorded)
  }

  #tellBlock({ claim, scope, workflowId, runNumber, progress, block }: EndEntry | BlockEntry): void {
    if (!block) return
    const { blockId, status, errorMessage, startedAt, endedAt, pauseMs } = block
    const blockName = progress.lastBlockId === blockId ? progress.lastBlockTitle : null
    const { runId } = claim
    const { accountId } = scope
    const ended = { blockId, blockName, status, errorMessage, startedAt, endedAt, pauseMs }
    this.#aside(() => this.#deps.news.onBlockEnded({ runId, accountId, workflowId, runNumber, ...ended }))
  }

  #aside(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#deps.onFault(error)
    }
  }

  #writeDeferred(tx: Tx, { scope, workflowId, onSuccess }: EndEntry, run: EndedRunRow): Promise<void> | undefined {
    if (run.status !== 'Ready') return undefined
    const entries = [
      ...Object.entries(onSuccess.deferred.vault).map(([key, value]) => ({ at: { workflowId }, key, value })),
      ...Object.entries(onSuccess.deferred.vaultGlobal).map(([key, value]) => ({
        at: { accountId: scope.accountId },
        key,
        value,
      })),
    ]
    return entries.length === 0 ? undefined : this.#deps.vault.writeAll(tx, scope, entries)
  }
}

function unrecorded(recording: SealedRecording): SealedRecording {
  const problem = recording.problem ?? 'The database did not accept the recording of this run.'
  return { ...recording, sealed: null, problem }
}

/** A run that was stopped says nothing about what its workflow does. */
function isReplayable(run: EndedRunRow, runId: string): boolean {
  return run.id === runId && run.status !== 'Stopped'
}

function withAccount<Entry extends { scope: Scope }>(entry: Entry): Entry & { accountId: string } {
  return { ...entry, accountId: entry.scope.accountId }
}
