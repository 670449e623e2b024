// Whoever waits for a run, or for the response to a webhook request, gets it with what the run records.
import type { Tx } from '../../db/index.ts'
import type { OnRunsEnded } from '../record/entries.ts'
import type { NewAnswer } from '../webhook-answer.ts'
import { insertAnswers, insertEnds } from './answer-store.ts'
import { EndWatch, type WaitSlots } from './end-watch.ts'
import { findAwaited, type ResultDeps, readResult } from './run-result.ts'

/** Writes responses, and tells of them once they are durable. */
export type Answers = { insert(tx: Tx, answers: readonly NewAnswer[]): Promise<void> }

type AwaitingDeps = ResultDeps & { slots: WaitSlots; onFault(error: unknown): void }

export function createAwaiting(deps: AwaitingDeps, onRunsEnded: OnRunsEnded) {
  const ends = new EndWatch(deps.database, deps.slots, deps.onFault)
  return {
    ends,
    /** The result of a run that ended; null when it has none, undefined when the run is gone. */
    readResult: async (runId: string) => {
      const run = await findAwaited(deps, runId)
      return run && readResult(deps, runId, run)
    },
    answers: {
      insert: async (tx: Tx, answers: readonly NewAnswer[]) => {
        tx.afterCommit(() => ends.tell(answers.map(({ webhookId }) => webhookId)))
        await insertAnswers(tx, answers)
      },
    },
    onRunsEnded: (async (tx, ended, effects, beside) => {
      const awaited = ended.filter((run) => run.isAwaited)
      if (awaited.length > 0) {
        tx.afterCommit(() => ends.tell(awaited.flatMap(({ id, webhookIds }) => webhookIds ?? [id])))
        const webhooks = awaited.filter(({ webhookIds }) => webhookIds !== null)
        if (webhooks.length > 0) await insertEnds(tx, webhooks)
      }
      await onRunsEnded(tx, ended, effects, beside)
    }) satisfies OnRunsEnded,
  }
}
