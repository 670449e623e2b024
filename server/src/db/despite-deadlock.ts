import type { Db, Tx } from './database.ts'
import { isDeadlock } from './sqlstates.ts'

const triesMax = 5

/**
 * A transaction that cannot take its locks in the order of all others. When it and another wait for each other, the server ends one of the two;
 * nothing of that one has happened, so it is done again. `work` must change nothing outside the database.
 */
export async function transactDespiteDeadlock<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!isDeadlock(error) || tries >= triesMax) throw error
    }
  }
}
