// What a run that some blocks of wait for something does meanwhile. A wait is a row with a due time; nothing is held for it.
import { listBlockOf } from '../../engine/chain/same-items.ts'
import type { Json } from '../../lib/json.ts'
import type { RunWait, WaitingFor } from '../record/wait-store.ts'
import type { RunState, Tried } from './run-state.ts'

/** What a worker that takes the run over finds. Rows of blocks that have ended since say nothing any more. */
export function takeWaits(state: RunState, waits: readonly RunWait[]): void {
  for (const wait of waits) {
    if (wait.itemIndex >= 0 || state.outcomes.has(wait.blockId)) continue
    addWait(state, wait)
  }
}

export function addWait(state: RunState, wait: RunWait): void {
  state.waits.set(wait.blockId, wait)
  state.outcomes.set(wait.blockId, { kind: 'waiting' })
}

export function isOver({ outcome, dueAt }: RunWait, now: Date): boolean {
  return outcome !== null || (dueAt !== null && dueAt <= now)
}

/** Blocks whose wait is over may start again, and with them those that go on with the same items. */
export function wakeDue(state: RunState, now: Date): void {
  const woken = wakeBlocks(state, now)
  if (!state.workflow.sharesItems || woken.length === 0) return
  const { blocks } = state.workflow
  const lists = new Set(woken.map((id) => listBlockOf(blocks, id)))
  for (const [blockId, { itemIndex }] of state.waits) {
    if (itemIndex < 0 || !lists.has(listBlockOf(blocks, blockId))) continue
    state.waits.delete(blockId)
    state.outcomes.delete(blockId)
  }
}

function wakeBlocks(state: RunState, now: Date): string[] {
  const woken: string[] = []
  for (const [blockId, wait] of state.waits) {
    if (!isOver(wait, now)) continue
    woken.push(blockId)
    state.waits.delete(blockId)
    state.outcomes.delete(blockId)
    // Items know themselves how often they were tried, and what they waited for.
    if (wait.itemIndex >= 0) continue
    if (wait.kind !== 'retry') state.waited.set(blockId, wait)
    else state.tried.set(blockId, JSON.parse(wait.details) as Tried)
  }
  return woken
}

/** The wait that ends first; those without an end of their own come last. */
export function findFirst(state: RunState, blockIds: readonly string[]): RunWait | undefined {
  const dueMs = ({ dueAt }: RunWait) => dueAt?.getTime() ?? Number.POSITIVE_INFINITY
  return blockIds
    .flatMap((id) => state.waits.get(id) ?? [])
    .sort((one, other) => dueMs(one) - dueMs(other))
    .at(0)
}

export function toWaitingFor({ kind, blockId, dueAt, itemKey = '' }: RunWait): WaitingFor {
  return { kind, uniqueBlockId: blockId, itemKey: itemKey || null, untilDateTimeUTC: dueAt?.toISOString() ?? null }
}

/** The log of all tries; each after the first has a heading. */
export function logOfTries(tried: Tried | undefined, triesMax: number, log: readonly string[]): string[] {
  if (!tried) return [...log]
  return [...tried.log, `Try ${tried.tries + 1} of ${triesMax}`, ...log]
}

export function errorOf(failure: { message: string; response?: { [name: string]: Json } }): { [name: string]: Json } {
  const response = failure.response ?? null
  return { message: failure.message, statusCode: response?.['statusCode'] ?? null, response }
}
