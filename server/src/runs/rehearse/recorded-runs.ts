// Recorded runs of one workflow, for those who run them again in their order: several are read at once, ahead of their turn.
import type { Contents } from '../../contents/index.ts'
import type { Database, Scope } from '../../db/index.ts'
import { listRecordedRuns, type NotReplayable, type RecordedRun } from './recorded-run-store.ts'

/** What one recording may hold is bounded, and by this what is in memory at once. */
const runsAtOnce = 16

type Read = (runNumbers: readonly number[]) => Promise<(RecordedRun | NotReplayable)[]>

export class RecordedRuns {
  readonly #runNumbers: readonly number[]
  readonly #read: Read
  /** Those that were read with others and whose turn has not come. */
  readonly #ahead = new Map<number, Promise<RecordedRun | NotReplayable>>()

  constructor(
    deps: { database: Database; contents: Pick<Contents, 'read'> },
    { scope, workflowId }: { scope: Scope; workflowId: string },
    runNumbers: readonly number[],
  ) {
    this.#runNumbers = runNumbers
    const db = deps.database.forScope(scope)
    this.#read = (some) => listRecordedRuns({ db, contents: deps.contents }, scope.accountId, workflowId, some)
  }

  /** The run at this place of the list as it was recorded, or the reason why it cannot be run again. Each is handed out once. */
  take(index: number): Promise<RecordedRun | NotReplayable> {
    if (!this.#ahead.has(index)) this.#readFrom(index)
    const found = this.#ahead.get(index) as Promise<RecordedRun | NotReplayable>
    this.#ahead.delete(index)
    return found
  }

  #readFrom(first: number): void {
    const some = this.#runNumbers.slice(first, first + runsAtOnce)
    const found = this.#read(some)
    for (const place of some.keys()) {
      const run = found.then((runs) => runs[place] as RecordedRun | NotReplayable)
      // Whoever takes it hears of a fault; those that nobody takes any more must not end the process.
      run.catch(() => {})
      this.#ahead.set(first + place, run)
    }
  }
}
