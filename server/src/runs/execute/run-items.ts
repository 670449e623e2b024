/**
 * A block that runs once for each item.
 *
 *   list recorded ─► lanes take the items in order ─► the end of an item is recorded ─► its lane takes the next ─► all ended ─► the block ends
 *
 * An item whose next try is due later is a row; its lane goes on. When nothing is left but such rows the block waits, and may be put aside with
 * its run. Whoever goes on with the run finds the list, the ends and the waits, so an item that is recorded never runs again.
 */
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ItemRecord, ListedItem } from '../record/item-store.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import { BlockCalls } from './block-calls.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { finishItems } from './finish-items.ts'
import { endItemChild, isChildTries, startItemChild } from './item-child.ts'
import type { Further, ItemBlock, ItemDeps, ItemsEnd, ItemsHold, Tries, Unit } from './item-ends.ts'
import { deferredOf, resultsOf } from './item-results.ts'
import { asksAgain, runItemScript, takesBatches } from './item-script.ts'
import { makeList } from './make-list.ts'
import { mayTryAgain, retryWaitMs } from './retry-block.ts'
import type { RunState } from './run-state.ts'
import { logText } from './sanitize-text.ts'
import { answerOf } from './take-block.ts'
import { untilReachable } from './until-reachable.ts'
import { isOver } from './waits.ts'

/** Of a block with items, instead of the run's time limit. */
const blockMsMax = 24 * 3_600_000
const stopAfterDefault = 10
const deathsMax = 3

export async function runItems(
  deps: ItemDeps,
  hold: ItemsHold,
  state: RunState,
  { block, webhook }: { block: PlannedBlock; webhook: Json | JsonText },
): Promise<ItemsEnd> {
  return new ItemsOfBlock(deps, hold, state, { block, webhook }).run()
}

/** What an item did besides its result. */

class ItemsOfBlock {
  readonly #deps: ItemDeps
  readonly #hold: ItemsHold
  readonly #state: RunState
  readonly #block: PlannedBlock
  readonly #webhook: Json | JsonText
  #list: readonly ListedItem[] = []
  #ends: (ItemRecord['status'] | undefined)[] = []
  readonly #waits = new Map<number, { wait: RunWait; tries: Tries }>()
  readonly #taken = new Set<number>()
  #next = 0
  #running = 0
  #failedInARow = 0
  /** A target that is dead must not cost a call for every item. What was under way then may still succeed. */
  #isGivenUp = false
  #isLost = false
  #isStopped = false
  readonly #startedMs = performance.now()
  /** Time that workers before this one have spent. */
  #usedMs = 0

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
    this.#webhook = webhook
  }

  async run(): Promise<ItemsEnd> {
    const failed = await this.#open()
    if (failed) return failed
    const { concurrency = 1 } = this.#block.forEach ?? {}
    await Promise.all(Array.from({ length: Math.min(concurrency, this.#list.length) }, () => this.#work()))
    if (this.#isLost) return { kind: 'lost' }
    const isGivenUp = this.#isGivenUp
    const isOutOfTime = this.#isOutOfTime
    if (this.#isInterrupted) return this.#putAside({ kind: 'interrupted', isStopped: this.#isStopped })
    const first = this.#firstWait()
    const itemKey = this.#list[first?.itemIndex ?? -1]?.key ?? ''
    if (first && !isOutOfTime) return this.#putAside({ kind: 'waiting', wait: { ...first, itemKey } })
    return finishItems(this.#deps, this.#at, { ends: this.#ends, isGivenUp, isOutOfTime })
  }

  /** The one that ends first. A block that gives up still waits for what is under way. */
  #firstWait(): RunWait | undefined {
    const waits = [...this.#waits.values()].map(({ wait }) => wait)
    const open = this.#isGivenUp ? waits.filter(({ kind }) => kind === 'subWorkflow') : waits
    const dueMs = ({ dueAt }: RunWait) => dueAt?.getTime() ?? Number.POSITIVE_INFINITY
    return open.sort((one, other) => dueMs(one) - dueMs(other))[0]
  }

  async #putAside(end: ItemsEnd): Promise<ItemsEnd> {
    const use = { ms: performance.now() - this.#startedMs, lanes: this.#lanes }
    await this.#deps.items.addUse(this.#place, use)
    return end
  }

  get #place() {
    const { accountId, id: runId, rootId } = this.#state.run
    return { accountId, runId, rootId, blockId: this.#block.uniqueBlockId }
  }

  get #lanes(): number {
    const { concurrency = 1, batchSize = 1 } = this.#block.forEach ?? {}
    return concurrency * batchSize
  }

  get #isOutOfTime(): boolean {
    return this.#usedMs + performance.now() - this.#startedMs > blockMsMax
  }

  get #isInterrupted(): boolean {
    return this.#isStopped || this.#hold.signal.aborted || this.#hold.stopSignal.aborted || this.#hold.isStopping()
  }

  /** Everything that is recorded; a list that is not yet is evaluated and recorded first. */
  async #open(): Promise<ItemsEnd | undefined> {
    const { id: runId, rootId } = this.#state.run
    const isRetry = rootId !== runId
    const mayBeKnown = this.#hold.claim.attempt > 0 || isRetry || this.#state.wasPut.has(this.#block.uniqueBlockId)
    const known = mayBeKnown ? await this.#deps.items.findList(this.#place) : undefined
    if (known) {
      this.#list = known.list
      this.#usedMs = known.usedMs
      // Others see by it which items are in progress.
      await this.#deps.items.addUse(this.#place, { ms: 0, lanes: this.#lanes })
    } else {
      const failed = await this.#makeList()
      if (failed || !(isRetry || this.#deps.triesAtOnce)) return failed
    }
    this.#ends = new Array(this.#list.length).fill(undefined)
    for (const { index, status } of await this.#deps.items.listEnded(this.#place)) {
      this.#ends[index] = status
      this.#countInARow(status)
    }
    if (!known) return undefined
    await this.#openWaits()
    await this.#countDeaths()
    return undefined
  }

  async #makeList(): Promise<ItemsEnd | undefined> {
    const made = await makeList(this.#deps, this.#around())
    if ('end' in made) return made.end
    this.#list = made.list
    this.#ends = new Array(made.list.length).fill(undefined)
    this.#state.wasPut.add(this.#block.uniqueBlockId)
    const isMine = await this.#deps.items.putList(this.#hold.claim, { ...this.#place, lanes: this.#lanes }, made.list)
    return isMine ? undefined : { kind: 'lost' }
  }

  async #openWaits(): Promise<void> {
    const { accountId, id: runId } = this.#state.run
    for (const wait of await this.#deps.waits.list(accountId, runId)) {
      if (wait.blockId !== this.#block.uniqueBlockId || wait.itemIndex < 0 || this.#ends[wait.itemIndex]) continue
      this.#keepWait({ wait })
    }
  }

  /** Lanes take items in order, so those that were in progress when a worker died are the first that have not ended. */
  async #countDeaths(): Promise<void> {
    if (!this.#state.isTakenFromDead) return
    const open = this.#list.keys().filter((index) => !this.#ends[index] && !this.#taken.has(index))
    const suspects = [...open.take(this.#lanes)]
    if (suspects.length === 0) return
    const deaths = await this.#deps.items.addDeaths(this.#place, suspects)
    for (const index of suspects.filter((at) => (deaths[at] ?? 0) >= deathsMax)) {
      this.#taken.add(index)
      const at = new Date()
      await this.#record(index, {
        status: 'failed',
        result: null,
        errorMessage: 'The worker died three times while running this item.',
        log: null,
        calls: null,
        tries: deathsMax,
        startedAt: at,
        endedAt: at,
      })
    }
  }

  /** One lane. It takes its next item only when the end of the one before is recorded. */
  async #work(): Promise<void> {
    for (;;) {
      if (this.#isLost || this.#isInterrupted || this.#isOutOfTime) return
      const unit = this.#takeAgain() ?? this.#takeNext()
      if (!unit) return
      this.#running++
      await this.#runUnit(unit).finally(() => this.#running--)
    }
  }

  /** What is due again goes before what has not begun. A block that gives up takes only what was under way. */
  #takeAgain(): Unit | undefined {
    const now = new Date()
    for (const [index, { wait, tries }] of this.#waits) {
      if (!isOver(wait, now) || (this.#isGivenUp && wait.kind !== 'subWorkflow')) continue
      this.#waits.delete(index)
      return { indexes: tries.indexes, tried: tries, outcome: wait.outcome }
    }
    return undefined
  }

  #takeNext(): Unit | undefined {
    const { concurrency = 1 } = this.#block.forEach ?? {}
    // An item is under way as long as the run that it started.
    const children = [...this.#waits.values()].filter(({ wait }) => wait.kind === 'subWorkflow').length
    if (this.#isGivenUp || (children > 0 && this.#running + children >= concurrency)) return undefined
    const { batchSize = 1 } = this.#block.forEach ?? {}
    const indexes: number[] = []
    while (this.#next < this.#list.length && indexes.length < batchSize) {
      const index = this.#next++
      if (!this.#ends[index] && !this.#taken.has(index)) indexes.push(index)
    }
    return indexes.length === 0 ? undefined : { indexes, tried: undefined, outcome: null }
  }

  async #runUnit({ indexes, tried, outcome: waited }: Unit): Promise<void> {
    if (isChildTries(tried)) {
      const end = () => endItemChild(this.#deps, this.#at, waited, tried)
      const { record, further } = await untilReachable(end, this.#hold.signal)
      return this.#record(indexes[0] as number, record, further)
    }
    const startedAt = new Date()
    const { claim } = this.#hold
    const { workflow, session } = this.#state
    const calls = new BlockCalls(claim.attempt + 1, workflow.recordCallBodies, tried?.calls ?? null)
    const tries = (tried?.tries ?? 0) + 1
    const items = indexes.map((index) => ({ ...(this.#list[index] as ListedItem), index }))
    const answer: { first?: WebhookAnswer } = {}
    const outcome = await runItemScript(this.#deps, this.#hold, this.#at, { items, tries, calls, answer })
    if (outcome.kind === 'aborted' || outcome.kind === 'stopped') return
    const { retry } = this.#block
    const log = tried ? [...tried.log, `Try ${tries} of ${(retry?.times ?? 0) + 1}`, ...outcome.log] : outcome.log
    let ended: ScriptOutcome = outcome
    if (retry && mayTryAgain(retry, tries, outcome) && !this.#isGivenUp) {
      const rule = await asksAgain(this.#deps, this.#around(), outcome)
      if (rule === true) return this.#putOff({ indexes, tries, log, calls: calls.toText() })
      if (rule !== false) ended = rule
    }
    if (this.#block.subWorkflow && ended.kind === 'returned') {
      const script = {
        ...(items[0] as (typeof items)[number]),
        outcome: ended,
        tries,
        log,
        calls: calls.toText(),
        startedAt,
      }
      const started = await startItemChild(this.#deps, this.#hold, this.#at, { ...script, answer: answer.first })
      if (started === 'lost' || 'wait' in started) return this.#keepWait(started)
      ended = started
    }
    const shared = { calls: calls.toText(), tries, startedAt, endedAt: new Date(), log: logText(log) }
    const further = {
      answer: answer.first,
      deferred: ended.kind === 'returned' ? deferredOf(session, ended) : undefined,
    }
    const results = resultsOf(ended, indexes.length, takesBatches(this.#block))
    const isFailed = results.some(({ status }) => status === 'failed')
    const [first] = items
    if (first) this.#hold.tape?.endItem(this.#block.uniqueBlockId, first.key, { index: first.index, isFailed })
    // What a batch did besides is recorded with its first item that succeeded.
    const bearer = Math.max(
      0,
      results.findIndex(({ status }) => status === 'succeeded'),
    )
    await Promise.all(
      results.map((end, at) =>
        this.#record(indexes[at] as number, { ...shared, ...end }, at === bearer ? further : {}),
      ),
    )
  }

  get #at(): ItemBlock {
    return { state: this.#state, block: this.#block, webhook: this.#webhook }
  }

  async #putOff(tries: Tries): Promise<void> {
    const { retry, uniqueBlockId: blockId } = this.#block
    const itemIndex = tries.indexes[0] as number
    const waitMs = this.#deps.triesAtOnce ? 0 : retryWaitMs(retry as NonNullable<typeof retry>, tries.tries)
    const dueAt = new Date(Date.now() + waitMs)
    const wait = { blockId, itemIndex, kind: 'retry' as const, dueAt, details: JSON.stringify(tries) }
    const isMine = await this.#deps.waits.put(this.#hold.claim, this.#state.run.accountId, wait)
    this.#keepWait(isMine ? { wait: { ...wait, outcome: null } } : 'lost')
  }

  #keepWait(begun: { wait: RunWait } | 'lost'): void {
    if (begun === 'lost') {
      this.#isLost = true
      return
    }
    const tries = JSON.parse(begun.wait.details) as Tries
    for (const index of tries.indexes) this.#taken.add(index)
    this.#waits.set(begun.wait.itemIndex, { wait: begun.wait, tries })
  }

  async #record(index: number, record: Omit<ItemRecord, 'index' | 'key'>, further: Further = {}): Promise<void> {
    const { key, item } = this.#list[index] as ListedItem
    const { claim } = this.#hold
    const { rootId: rootRunId, workflowId, runNumber, accountId, isPartial } = this.#state.run
    const { blockName } = this.#block
    const { answer } = answerOf(this.#state, further.answer)
    // A partial run is an experiment: what failed in it is nobody's duty.
    const isKept = record.status === 'failed' && !isPartial
    const status = await this.#deps.items.record({
      ...this.#place,
      claim,
      record: { ...record, index, key },
      deferred: further.deferred,
      answer: answer && { ...answer, accountId, workflowId, runId: claim.runId },
      ...(isKept ? { failed: { rootRunId, workflowId, runNumber, blockName, item } } : {}),
    })
    if (status === undefined) this.#isLost = true
    if (status === 'Stopping') this.#isStopped = true
    this.#ends[index] = record.status
    this.#countInARow(record.status)
  }

  #countInARow(status: ItemRecord['status']): void {
    const { stopAfter = stopAfterDefault } = this.#block.forEach ?? {}
    this.#failedInARow = status === 'failed' ? this.#failedInARow + 1 : 0
    if (stopAfter > 0 && this.#failedInARow >= stopAfter) this.#isGivenUp = true
  }

  #around() {
    return {
      state: this.#state,
      block: this.#block,
      webhook: this.#webhook,
      signal: this.#hold.signal,
      stopSignal: this.#hold.stopSignal,
    }
  }
}
