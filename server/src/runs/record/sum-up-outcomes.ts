import type { EndedRunRow } from './record-store.ts'
import type { WorkflowOutcome } from './workflow-outcome-store.ts'

type Ended = EndedRunRow & { movesDateLastRun: boolean }

/** Several runs of one workflow may end in one transaction: their row is written once, as if they had ended in the order of their numbers. */
export function sumUpOutcomes(ended: readonly Ended[]): WorkflowOutcome[] {
  const outcomes = new Map<string, WorkflowOutcome>()
  for (const run of [...ended].sort((one, other) => one.runNumber - other.runNumber)) {
    const before = outcomes.get(run.workflowId)
    outcomes.set(run.workflowId, add(before, run))
  }
  return [...outcomes.values()]
}

function add(before: WorkflowOutcome | undefined, run: Ended): WorkflowOutcome {
  // Partial runs are experiments: they neither prove nor disprove that the workflow works.
  const counts = run.processorType === 'Standard' && run.status !== 'Stopped'
  const succeeded = counts && run.status === 'Ready'
  const failedByItself = counts && run.status === 'Error' && (run.runBy === 'Scheduler' || run.runBy === 'Webhook')
  const moved = succeeded && run.movesDateLastRun ? run.countsFrom : null
  return {
    workflowId: run.workflowId,
    runNumber: run.runNumber,
    status: run.status,
    dateLastRun: later(before?.dateLastRun ?? null, moved),
    hasSucceeded: succeeded || (before?.hasSucceeded ?? false),
    autoFailures: succeeded ? 0 : (before?.autoFailures ?? 0) + (failedByItself ? 1 : 0),
    isFailing: counts ? run.status === 'Error' : (before?.isFailing ?? null),
  }
}

function later(one: Date | null, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other
}
