// What the script of an item, or of a batch of them, leaves for the record.
import type { Json, JsonObject } from '../../lib/json.ts'
import { type JsonText, textOf } from '../../lib/json-text.ts'
import { type ScriptOutcome, splitRanges } from '../../sandbox/index.ts'
import type { ItemDeferred, ItemRecord } from '../record/item-entry.ts'
import type { SessionState } from '../run.ts'
import { storable } from './sanitize-text.ts'

type ItemResult = Pick<ItemRecord, 'status' | 'result' | 'vaultRanges' | 'errorMessage'>

/** One for each item. */
export function resultsOf(outcome: ScriptOutcome, count: number, isBatch: boolean): ItemResult[] {
  if (outcome.kind !== 'returned') return new Array(count).fill(failed(storable(outcome.message)))
  if (!isBatch) return [succeeded(textOf(outcome.value), outcome.vaultRanges)]
  const values = outcome.value as Json[]
  const texts = values.map((one) => JSON.stringify(one))
  const ranges = splitRanges(outcome.vaultRanges, texts)
  return values.map((one, at) => {
    const message = errorIn(one)
    return message === undefined ? succeeded(texts[at] as string, ranges[at]) : failed(message)
  })
}

function succeeded(result: string, vaultRanges: string | undefined): ItemResult {
  return { status: 'succeeded', result, vaultRanges, errorMessage: null }
}

function failed(errorMessage: string): ItemResult {
  return { status: 'failed', result: null, errorMessage }
}

export function errorIn(result: Json | JsonText): string | undefined {
  const error = (result as { error?: unknown } | null)?.error
  return typeof error === 'string' ? storable(error) : undefined
}

/** Vault values that the script set for the end of the run; undefined when there are none. */
export function deferredOf(before: SessionState, outcome: ScriptOutcome): ItemDeferred | undefined {
  if (outcome.kind !== 'returned') return undefined
  const { deferredVault } = outcome
  const vault = changesOf(before.vault, deferredVault.workflow)
  const vaultGlobal = changesOf(before.vaultGlobal, deferredVault.global)
  return Object.keys(vault).length + Object.keys(vaultGlobal).length === 0 ? undefined : { vault, vaultGlobal }
}

function changesOf(before: JsonObject, after: JsonObject): JsonObject {
  const isNew = ([key, value]: [string, Json]) =>
    !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value)
  return Object.fromEntries(Object.entries(after).filter(isNew))
}
