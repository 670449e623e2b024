// Items of a block that is a run of another workflow: each has a run of its own.
import { textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome, ScriptReturned } from '../../sandbox/index.ts'
import type { ItemRecord } from '../record/item-entry.ts'
import type { ListedItem } from '../record/item-store.ts'
import type { RunWait } from '../record/wait-store.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import {
  type Further,
  type ItemBlock,
  type ItemDeps,
  type ItemsHold,
  itemBytesMax,
  type Tries,
  threw,
} from './item-ends.ts'
import { deferredOf } from './item-results.ts'
import { logText, storable } from './sanitize-text.ts'
import { childValue, type StartedChild, startChild } from './start-child.ts'

/** What is kept of an item while its run is under way. */
type ChildTries = Tries & {
  child: StartedChild
  startedAt: string
  answer?: WebhookAnswer | undefined
  /** Vault values for the end of the run, sealed, in base64. */
  deferred: string | null
}

type ReturnedItem = ListedItem & {
  index: number
  outcome: ScriptReturned
  tries: number
  log: string[]
  calls: string | null
  startedAt: Date
  answer: WebhookAnswer | undefined
}

export function isChildTries(tries: Tries | undefined): tries is ChildTries {
  return tries !== undefined && 'child' in tries
}

/** After the script of an item. */
export async function startItemChild(
  deps: ItemDeps,
  hold: ItemsHold,
  { state, block, webhook }: ItemBlock,
  { key, item, index, outcome, tries, log, calls, startedAt, answer }: ReturnedItem,
): Promise<{ wait: RunWait } | ScriptOutcome | 'lost'> {
  const { claim, signal, stopSignal } = hold
  const values = deferredOf(state.session, outcome)
  const sealed = values ? await deps.sealDeferred(state, block.uniqueBlockId, { vars: {}, ...values }) : null
  const deferred = sealed?.toString('base64') ?? null
  const kept = { indexes: [index], tries, log, calls, startedAt: startedAt.toISOString(), answer, deferred }
  const started = await startChild(
    deps,
    { claim, around: { state, webhook, signal, stopSignal } },
    {
      block,
      returned: outcome.value,
      item: { item, index, itemKey: key },
      detailsOf: (child) => JSON.stringify({ ...kept, child } satisfies ChildTries),
    },
  )
  return started === 'lost' || 'wait' in started ? started : threw(started.failure)
}

/** The record of an item whose run has ended. */
export async function endItemChild(
  deps: ItemDeps,
  { state, block }: ItemBlock,
  outcome: string | null,
  kept: ChildTries,
): Promise<{ record: Omit<ItemRecord, 'index' | 'key'>; further: Further }> {
  const { workflowId, runNumber } = kept.child
  const value = await childValue(deps, outcome, kept.child)
  const text = 'value' in value ? textOf(value.value) : null
  const isTooLarge = text !== null && text.length > itemBytesMax
  const message = 'failure' in value ? value.failure : isTooLarge ? tooLarge : undefined
  const sealed = kept.deferred === null ? null : Buffer.from(kept.deferred, 'base64')
  const deferred = sealed === null ? undefined : await deps.openDeferred?.(state, block.uniqueBlockId, sealed)
  const record = {
    status: message === undefined ? ('succeeded' as const) : ('failed' as const),
    result: message === undefined ? text : null,
    errorMessage: message === undefined ? null : storable(message),
    log: logText(kept.log),
    calls: kept.calls ?? null,
    tries: kept.tries,
    startedAt: new Date(kept.startedAt),
    endedAt: new Date(),
    childRun: { workflowId, runNumber },
  }
  return { record, further: { answer: kept.answer, deferred: message === undefined ? deferred : undefined } }
}

const tooLarge = 'The result of the item is larger than 1 MiB.'
