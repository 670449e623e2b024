// One item, or a batch of them: its script, its further tries, and what is to be recorded of it.
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ItemRecord } from '../record/item-entry.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import { BlockCalls } from './block-calls.ts'
import type { Around } from './expression.ts'
import { endItemChild, isChildTries, startItemChild } from './item-child.ts'
import type { Further, ItemBlock, ItemDeps, ItemsHold, Tries, Unit } from './item-ends.ts'
import { deferredOf, resultsOf } from './item-results.ts'
import { asksAgain, type ItemTry, runItemScript } from './item-script.ts'
import { mayTryAgain, retryWaitMs } from './retry-block.ts'
import { logText } from './sanitize-text.ts'
import { untilReachable } from './until-reachable.ts'

type Recorded = Omit<ItemRecord, 'index' | 'key'>

export type UnitEnd =
  | { kind: 'ended'; records: { index: number; record: Recorded; further: Further }[] }
  | { kind: 'waits'; wait: RunWait }
  | { kind: 'interrupted' }
  | { kind: 'lost' }

export class ItemUnits {
  readonly #deps: ItemDeps
  readonly #hold: ItemsHold
  readonly #at: ItemBlock

  constructor(deps: ItemDeps, hold: ItemsHold, at: ItemBlock) {
    this.#deps = deps
    this.#hold = hold
    this.#at = at
  }

  around(): Around {
    const { signal, stopSignal } = this.#hold
    return { ...this.#at, signal, stopSignal }
  }

  /** Of an item that did not run. */
  nothing(): Recorded {
    const at = new Date()
    const times = { startedAt: at, endedAt: at }
    return { status: 'skipped', result: null, errorMessage: null, log: null, calls: null, tries: 0, ...times }
  }

  /** `waited`: how the wait of the item ended. */
  async run(items: ItemTry['items'], { tried, outcome: waited }: Unit, mayWait: boolean): Promise<UnitEnd> {
    if (isChildTries(tried)) {
      const end = () => endItemChild(this.#deps, this.#at, waited, tried)
      const ended = await untilReachable(end, this.#hold.signal)
      return { kind: 'ended', records: [{ index: tried.indexes[0] as number, ...ended }] }
    }
    const startedAt = new Date()
    const { retry } = this.#at.block
    const { workflow, session } = this.#at.state
    const calls = new BlockCalls(this.#hold.claim.attempt + 1, workflow.recordCallBodies, tried?.calls ?? null)
    const tries = (tried?.tries ?? 0) + 1
    const answer: { first?: WebhookAnswer } = {}
    const outcome = await runItemScript(this.#deps, this.#hold, this.#at, { items, tries, calls, answer })
    if (outcome.kind === 'aborted' || outcome.kind === 'stopped') return { kind: 'interrupted' }
    const indexes = items.map(({ index }) => index)
    const log = tried ? [...tried.log, `Try ${tries} of ${(retry?.times ?? 0) + 1}`, ...outcome.log] : outcome.log
    let ended: ScriptOutcome = outcome
    if (mayWait && mayTryAgain(retry, tries, outcome)) {
      const rule = await asksAgain(this.#deps, this.around(), outcome)
      if (rule === true) return this.#putOff({ indexes, tries, log, calls: calls.toText() })
      if (rule !== false) ended = rule
    }
    if (this.#at.block.subWorkflow && ended.kind === 'returned') {
      const given = { ...(items[0] as ItemTry['items'][number]), outcome: ended, tries, log, calls: calls.toText() }
      const script = { ...given, startedAt, answer: answer.first }
      const started = await startItemChild(this.#deps, this.#hold, this.#at, script)
      if (started === 'lost') return { kind: 'lost' }
      if ('wait' in started) return { kind: 'waits', wait: started.wait }
      ended = started
    }
    const shared = { calls: calls.toText(), tries, startedAt, endedAt: new Date(), log: logText(log) }
    const further = { answer: answer.first, deferred: deferredOf(session, ended) }
    const results = resultsOf(ended, indexes.length, this.#at.scope.batchSize > 1)
    const isFailed = results.some(({ status }) => status === 'failed')
    const [one] = items
    if (one) this.#hold.tape?.endItem(this.#at.block.uniqueBlockId, one.key, { index: one.index, isFailed })
    // What a batch did besides is recorded with its first item that succeeded.
    const first = results.findIndex(({ status }) => status === 'succeeded')
    const bearer = Math.max(0, first)
    const records = results.map((result, at) => ({
      index: indexes[at] as number,
      record: { ...shared, ...result },
      further: at === bearer ? further : {},
    }))
    return { kind: 'ended', records }
  }

  async #putOff(tries: Tries): Promise<UnitEnd> {
    const { retry, uniqueBlockId: blockId } = this.#at.block
    const itemIndex = tries.indexes[0] as number
    const waitMs = this.#deps.triesAtOnce ? 0 : retryWaitMs(retry as NonNullable<typeof retry>, tries.tries)
    const dueAt = new Date(Date.now() + waitMs)
    const wait = { blockId, itemIndex, kind: 'retry' as const, dueAt, details: JSON.stringify(tries) }
    const isMine = await this.#deps.waits.put(this.#hold.claim, this.#at.state.run.accountId, wait)
    return isMine ? { kind: 'waits', wait: { ...wait, outcome: null } } : { kind: 'lost' }
  }
}
