// The beginning of waits that others end: written together with what those look for, so that neither misses the other.
import { type Database, sql } from '../../db/index.ts'
import { insertWait, type RunWait } from '../record/wait-store.ts'
import type { RunClaim } from '../run.ts'
import type { RunStarter, StartedRun } from '../start/starter.ts'
import { insertEventWait, lockNames } from './event-store.ts'

type NewWait = Omit<RunWait, 'outcome'>

export type Child = {
  workflowId: string
  /** JSON text. */
  input: string | null
  /** As the child shows it. */
  parentRun: { workflowId: string; runNumber: number; uniqueBlockId: string; itemKey: string | null }
  level: number
  isErrorRun: boolean
}

export class WaitStarter {
  readonly #database: Database
  readonly #starter: Pick<RunStarter, 'startAllIn'>

  constructor(deps: { database: Database; starter: Pick<RunStarter, 'startAllIn'> }) {
    this.#database = deps.database
    this.#starter = deps.starter
  }

  /** `outcome`: of an event that came before and has ended it. */
  async beginEvent(
    claim: RunClaim,
    accountId: string,
    wait: NewWait,
    { names, key }: { names: readonly string[]; key: string | null },
  ): Promise<{ outcome: string | null } | 'lost'> {
    return this.#database.system.transaction(async (tx) => {
      await lockNames(tx, accountId, names)
      if (!(await insertWait(tx, claim, accountId, wait))) return 'lost'
      const { blockId, itemIndex } = wait
      const wanted = { runId: claim.runId, blockId, itemIndex, accountId }
      return { outcome: await insertEventWait(tx, { ...wanted, names, key }) }
    })
  }

  /** `detailsOf`: what is kept of the block, which names the run. Undefined: there is no such deployed workflow any more. */
  async beginChild(
    claim: RunClaim,
    accountId: string,
    wait: Omit<NewWait, 'details'> & { detailsOf(child: StartedRun): string },
    child: Child,
  ): Promise<{ details: string } | 'lost' | undefined> {
    const { detailsOf, ...others } = wait
    return this.#database.system.transaction(async (tx) => {
      if (!(await insertWait(tx, claim, accountId, { ...others, details: '{}' }))) return 'lost'
      const { workflowId, input, level, isErrorRun, parentRun } = child
      const parent = { runId: claim.runId, itemIndex: wait.itemIndex, level, shown: parentRun }
      const [started] = await this.#starter.startAllIn(tx, [
        { accountId, workflowId, runBy: 'Workflow', parent, isErrorRun, ...(input === null ? {} : { input }) },
      ])
      if (!started) {
        await tx.query(sql`
          delete from run_waits where run_id = ${claim.runId} and block_id = ${wait.blockId} and item_index = ${wait.itemIndex}`)
        return undefined
      }
      const details = detailsOf(started)
      await tx.query(sql`
        update run_waits set details = ${details}
        where run_id = ${claim.runId} and block_id = ${wait.blockId} and item_index = ${wait.itemIndex}`)
      return { details }
    })
  }
}
