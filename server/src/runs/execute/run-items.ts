/**
 * A block that runs once for each item.
 *
 *   list recorded ─► lanes take the items in order ─► the end of an item is recorded ─► its lane takes the next ─► all ended ─► the block ends
 *
 * An item whose next try is due later is a row; its lane goes on. When nothing is left but such rows the block waits, and may be put aside with
 * its run. Whoever goes on with the run finds the list, the ends and the waits, so an item that is recorded never runs again.
 *
 * A block with sameItemsAs has the list of another block, and takes an item once the blocks before it have a result for it.
 */
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { ItemRecord } from '../record/item-entry.ts'
import type { ListedItem } from '../record/item-store.ts'
import type { RememberedResult } from '../record/remembered-store.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { finishItems } from './finish-items.ts'
import { followItems, progressOf, untilChanged } from './follow-items.ts'
import { countDeaths, fatalMessage, noteAlone } from './item-deaths.ts'
import {
  type Further,
  type ItemDeps,
  type ItemsEnd,
  type ItemsHold,
  noItems,
  type Tries,
  threw,
  type Unit,
} from './item-ends.ts'
import type { ItemProgress } from './item-progress.ts'
import { ItemQueue } from './item-queue.ts'
import { type ItemScope, scopeOf } from './item-scope.ts'
import { ItemUnits } from './item-units.ts'
import { makeList } from './make-list.ts'
import type { RunState } from './run-state.ts'
import { answerOf } from './take-block.ts'

/** Of a block with items, instead of the run's time limit. */
const blockMsMax = 24 * 3_600_000
const lookedUpAtOnce = 500
const listGone = 'The items that this block goes on with are not kept any more. Run the workflow again.'

export async function runItems(
  deps: ItemDeps,
  hold: ItemsHold,
  state: RunState,
  { block, webhook }: { block: PlannedBlock; webhook: Json | JsonText },
): Promise<ItemsEnd> {
  return new ItemsOfBlock(deps, hold, state, { block, webhook }).run()
}

class ItemsOfBlock {
  readonly #deps: ItemDeps
  readonly #hold: ItemsHold
  readonly #state: RunState
  readonly #block: PlannedBlock
  readonly #scope: ItemScope
  readonly #units: ItemUnits
  readonly #own: ItemProgress
  #sources: readonly ItemProgress[] = []
  #queue: ItemQueue
  #alone: number[] = []
  #running = 0
  #failedInARow = 0
  /** A target that is dead must not cost a call for every item. What was under way then may still succeed. */
  #isGivenUp = false
  #isLost = false
  #isStopped = false
  readonly #startedMs = performance.now()
  /** Time that workers before this one have spent. */
  #usedMs = 0
  #lookUp: Promise<void> | undefined

  constructor(
    deps: ItemDeps,
    hold: ItemsHold,
    state: RunState,
    { block, webhook }: { block: PlannedBlock; webhook: Json | JsonText },
  ) {
    this.#deps = deps
    this.#hold = hold
    this.#state = state
    this.#block = block
    this.#scope = scopeOf(state.workflow.blocks, block)
    this.#own = progressOf(state, block.uniqueBlockId)
    this.#queue = new ItemQueue(this.#own, [], 1)
    this.#units = new ItemUnits(deps, hold, { state, block, webhook, scope: this.#scope })
  }

  async run(): Promise<ItemsEnd> {
    const failed = await this.#open()
    if (failed) return failed
    await this.#runAlone()
    const count = Math.min(this.#scope.concurrency, this.#own.list?.length ?? 0)
    await Promise.all(Array.from({ length: count }, () => this.#work()))
    if (this.#isLost) return { kind: 'lost' }
    if (this.#isInterrupted) return this.#putAside({ kind: 'interrupted', isStopped: this.#isStopped })
    const isGivenUp = this.#isGivenUp
    const isOutOfTime = this.#isOutOfTime
    const wait = this.#queue.firstWait(isGivenUp)
    const itemKey = this.#own.list?.[wait?.itemIndex ?? -1]?.key ?? ''
    if (wait && !isOutOfTime) return this.#putAside({ kind: 'waiting', wait: { ...wait, itemKey } })
    const goesOnLater = !this.#own.isComplete && this.#sources.some(({ state }) => state !== 'over')
    if (goesOnLater && !isGivenUp && !isOutOfTime) return this.#putAside({ kind: 'interrupted', isStopped: false })
    const at = { state: this.#state, block: this.#block, scope: this.#scope }
    return finishItems(this.#deps, at, { own: this.#own, isGivenUp, isOutOfTime })
  }

  async #putAside(end: ItemsEnd): Promise<ItemsEnd> {
    const use = { ms: performance.now() - this.#startedMs, lanes: this.#scope.lanes }
    await this.#deps.items.addUse(this.#place, use)
    return end
  }

  get #place() {
    const { accountId, id: runId, rootId } = this.#state.run
    return { accountId, runId, rootId, blockId: this.#block.uniqueBlockId }
  }

  get #isOutOfTime(): boolean {
    return this.#usedMs + performance.now() - this.#startedMs > blockMsMax
  }

  get #isInterrupted(): boolean {
    return this.#isStopped || this.#hold.signal.aborted || this.#hold.stopSignal.aborted || this.#hold.isStopping()
  }

  get #mayGoOn(): boolean {
    return !(this.#isLost || this.#isInterrupted || this.#isOutOfTime)
  }

  /** Everything that is recorded; a list that is not yet is made and recorded first. */
  async #open(): Promise<ItemsEnd | undefined> {
    const { id: runId, rootId } = this.#state.run
    const { uniqueBlockId: blockId } = this.#block
    const isRetry = rootId !== runId
    const mayBeKnown = this.#hold.claim.attempt > 0 || isRetry || this.#state.wasPut.has(blockId)
    const known = mayBeKnown ? await this.#deps.items.findList(this.#place) : undefined
    const made = await this.#openList(known?.list)
    if ('end' in made) return made.end
    this.#own.begin(made.list)
    this.#queue = new ItemQueue(this.#own, this.#sources, this.#scope.batchSize)
    if (this.#scope.onceDays > 0 && !this.#state.run.isPartial) this.#queue.lookFirst()
    if (known) {
      this.#usedMs = known.usedMs
      // Others see by it which items are in progress.
      await this.#deps.items.addUse(this.#place, { ms: 0, lanes: this.#scope.lanes })
    } else {
      this.#state.wasPut.add(blockId)
      const at = { ...this.#place, lanes: this.#scope.lanes, sameAs: this.#scope.sameAs }
      if (!(await this.#deps.items.putList(this.#hold.claim, at, made.list))) return { kind: 'lost' }
    }
    if (known || isRetry || this.#deps.triesAtOnce) await this.#openEnds(known !== undefined)
    return undefined
  }

  async #openList(
    known: readonly ListedItem[] | undefined,
  ): Promise<{ list: readonly ListedItem[] } | { end: ItemsEnd }> {
    if (this.#scope.sameAs === undefined) return known ? { list: known } : makeList(this.#deps, this.#units.around())
    this.#sources = await followItems(this.#deps, this.#state, this.#block)
    const [first] = this.#sources
    if (first?.state === 'over' && !first.list)
      return { end: { kind: 'ended', outcome: threw(listGone), counts: noItems } }
    for (;;) {
      const list = this.#sources[0]?.list
      if (list) return { list }
      // The block with the list was skipped, or failed to make one.
      if (this.#isInterrupted || this.#sources[0]?.state !== 'open')
        return { end: { kind: 'interrupted', isStopped: false } }
      await untilChanged(this.#sources, this.#hold, undefined)
    }
  }

  async #openEnds(wasBegun: boolean): Promise<void> {
    const { accountId, runId, blockId } = this.#place
    for (const { index, status } of await this.#deps.items.listEnded(this.#place)) this.#end(index, status)
    for (const wait of await this.#deps.waits.list(accountId, runId)) {
      if (wait.blockId !== blockId || wait.itemIndex < 0 || this.#own.endOf(wait.itemIndex)) continue
      this.#keepWait(wait)
    }
    if (!wasBegun || !this.#state.isTakenFromDead) return
    const inProgress = this.#queue.listOpen(this.#scope.lanes)
    if (inProgress.length === 0) return
    const { fatal, alone } = await countDeaths(this.#deps, this.#place, inProgress)
    this.#alone = alone
    for (const index of fatal) {
      this.#queue.leaveOut(index)
      await this.#record(index, { ...this.#units.nothing(), status: 'failed', errorMessage: fatalMessage })
    }
  }

  /** Items that may have killed their worker, one after the other and nothing beside them. */
  async #runAlone(): Promise<void> {
    for (const index of this.#alone) {
      if (!this.#mayGoOn || this.#isGivenUp) return
      this.#queue.leaveOut(index)
      await noteAlone(this.#deps, this.#place, index)
      await this.#runUnit({ indexes: [index], tried: undefined, outcome: null })
    }
    if (this.#alone.length > 0) await noteAlone(this.#deps, this.#place, undefined)
  }

  /** One lane. It takes its next item only when the end of the one before is recorded. */
  async #work(): Promise<void> {
    for (;;) {
      if (!this.#mayGoOn) return
      await this.#lookAhead()
      const unit = this.#queue.takeAgain(new Date(), this.#isGivenUp) ?? this.#takeNext()
      if (unit?.skipped) await this.#skip(unit.indexes, unit.skipped)
      else if (unit) await this.#runUnit(unit)
      else if (this.#isGivenUp || this.#isFull) return
      else if (this.#queue.nextUnknown(1).items.length > 0) continue
      else if (this.#sources.some(({ state }) => state === 'open'))
        await untilChanged(this.#sources, this.#hold, this.#queue.firstWait(false)?.dueAt)
      else return
    }
  }

  /** An item is under way as long as the run that it started. */
  get #isFull(): boolean {
    const { children } = this.#queue
    return children > 0 && this.#running + children >= this.#scope.concurrency
  }

  #takeNext(): Unit | undefined {
    return this.#isGivenUp || this.#isFull ? undefined : this.#queue.takeNext()
  }

  #keepWait(wait: RunWait): void {
    this.#queue.putOff(wait, JSON.parse(wait.details) as Tries)
  }

  /** Lanes wait for the same answer. */
  #lookAhead(): Promise<void> | undefined {
    const { from, items } = this.#queue.nextUnknown(lookedUpAtOnce)
    if (items.length === 0) return undefined
    this.#lookUp ??= (async () => {
      const { workflowId } = this.#state.run
      const at = { ...this.#place, workflowId, days: this.#scope.onceDays }
      const keys = items.map(({ key }) => key)
      this.#queue.know(from, items, await this.#deps.items.findRemembered(at, keys))
      this.#lookUp = undefined
    })()
    return this.#lookUp
  }

  async #skip(indexes: readonly number[], results: readonly (RememberedResult | null)[]): Promise<void> {
    const skipped = { ...this.#units.nothing(), status: 'skipped' as const }
    await Promise.all(indexes.map((index, at) => this.#record(index, { ...skipped, ...results[at] })))
  }

  async #runUnit(unit: Unit): Promise<void> {
    const items = unit.indexes.map((index) => ({ ...this.#itemAt(index), index }))
    this.#running++
    const end = await this.#units.run(items, unit, !this.#isGivenUp).finally(() => this.#running--)
    if (end.kind === 'interrupted') return
    if (end.kind === 'lost') this.#isLost = true
    if (end.kind === 'waits') this.#keepWait(end.wait)
    if (end.kind === 'ended')
      await Promise.all(end.records.map(({ index, record, further }) => this.#record(index, record, further)))
  }

  async #record(index: number, record: Omit<ItemRecord, 'index' | 'key'>, further: Further = {}): Promise<void> {
    const { key, item } = this.#itemAt(index)
    const { accountId, id: runId, rootId: rootRunId, workflowId, runNumber, isPartial } = this.#state.run
    const { answer } = answerOf(this.#state, further.answer)
    const { blockName } = this.#block
    const days = isPartial ? 0 : this.#scope.onceDays
    // A partial run is an experiment: what failed in it is nobody's duty.
    const isKept = record.status === 'failed' && !isPartial
    const status = await this.#deps.items.record({
      ...this.#place,
      claim: this.#hold.claim,
      record: { ...record, index, key },
      deferred: further.deferred,
      answer: answer && { ...answer, accountId, workflowId, runId },
      remember: days > 0 ? { workflowId, days } : undefined,
      ...(isKept ? { failed: { rootRunId, workflowId, runNumber, blockName, item } } : {}),
    })
    if (status === undefined) this.#isLost = true
    if (status === 'Stopping') this.#isStopped = true
    const isUnreached = record.status === 'skipped' && record.result === null
    if (status !== undefined) this.#end(index, isUnreached ? 'unreached' : record.status)
  }

  #itemAt(index: number): ListedItem {
    return (this.#own.list ?? [])[index] as ListedItem
  }

  #end(index: number, end: ItemRecord['status'] | 'unreached'): void {
    this.#own.end(index, end)
    if (end === 'unreached') return
    const { stopAfter } = this.#scope
    this.#failedInARow = end === 'failed' ? this.#failedInARow + 1 : 0
    if (stopAfter > 0 && this.#failedInARow >= stopAfter) this.#isGivenUp = true
  }
}
