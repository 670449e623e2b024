/**
 * The states of things that live long, as data: which state may follow which. A state with no followers is final.
 * Staying in a state is not a transition; operations that may be repeated check for it first.
 */
import type { AccountStateName } from '@patchbay/contract'

/** `Stopping` waits for the block under way; a failure of that block is worth more to the user than the stop. */
export const runTransitions = {
  Pending: ['Processing', 'Error', 'Stopped'],
  Processing: ['Ready', 'Error', 'Stopping'],
  Stopping: ['Stopped', 'Error'],
  Ready: [],
  Error: [],
  Stopped: [],
} as const
export type RunStatus = keyof typeof runTransitions

/** `Done` is the way out of the queue into the history and is never shown as a queue status. */
export const queueTransitions = {
  Pending: ['Processing', 'Skipped'],
  Processing: ['Done', 'Failed', 'Skipped'],
  Failed: ['Processing', 'Skipped'],
  Skipped: [],
  Done: [],
} as const

export const workflowTransitions = {
  inDevelopment: ['deployed', 'archived'],
  deployed: ['archived'],
  archived: [],
} as const

export const accountTransitions = {
  inActive: ['active', 'archived'],
  active: ['locked', 'archived'],
  locked: ['active', 'archived'],
  archived: [],
} as const satisfies Record<AccountStateName, readonly AccountStateName[]>

/** `WorkflowRunStatusEnum` of the interface. A run that was stopped did not do its work, so it counts as skipped. */
export const runStatusEnum = {
  Pending: 'pending',
  Processing: 'processing',
  Stopping: 'processing',
  Ready: 'completed',
  Error: 'failed',
  Stopped: 'skipped',
} as const satisfies Record<RunStatus, string>

type TransitionTable = Readonly<Record<string, readonly string[]>>

export function canMove<T extends TransitionTable>(table: T, from: keyof T, to: keyof T): boolean {
  return table[from]!.some((state) => state === to)
}

export function isFinal<T extends TransitionTable>(table: T, state: keyof T): boolean {
  return table[state]!.length === 0
}

/** The states from which `to` can be reached in one step; for the WHERE of a guarded update. */
export function statesBefore<T extends TransitionTable>(table: T, to: keyof T & string): (keyof T & string)[] {
  return Object.keys(table).filter((from) => canMove(table, from, to))
}

/** Requests may write a state in any case (`Inactive`); answers use the spelling of the table. */
export function parseState<T extends TransitionTable>(table: T, text: string): (keyof T & string) | undefined {
  return Object.keys(table).find((state) => state.toLowerCase() === text.toLowerCase())
}
