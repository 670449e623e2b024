// The beginning of waits that others end: written together with what those look for, so that neither misses the other.
import type { NewApproval } from '../approve/approval-store.ts'
import { type AskDeps, askForApproval } from '../approve/begin-approval.ts'
import { insertWait, type RunWait } from '../record/wait-store.ts'
import type { RunClaim } from '../run.ts'
import type { StartDeps } from '../start/start.ts'
import { type BegunChild, beginChild, type ChildWait, type NewChild } from './begin-child.ts'
import { insertEventWait, lockNames } from './event-store.ts'
import { createResumeToken, resumePath, takeEarlyResume } from './resume-link.ts'

type NewWait = Omit<RunWait, 'outcome'>

export class WaitStarter {
  readonly #deps: StartDeps & AskDeps

  constructor(deps: StartDeps & AskDeps) {
    this.#deps = deps
  }

  /** What the script of a block that will wait sees as `run.resumeUrl`. */
  async createResumeUrl(
    claim: RunClaim,
    at: { accountId: string; blockId: string; itemIndex: number },
  ): Promise<string> {
    const { database, baseUrl } = this.#deps
    return `${baseUrl()}${resumePath}${await createResumeToken(database.system, claim, at)}`
  }

  /** `outcome`: of somebody who resumed the run before it waited. */
  async beginTime(claim: RunClaim, accountId: string, wait: NewWait): Promise<{ outcome: string | null } | 'lost'> {
    return this.#deps.database.system.transaction(async (tx) => {
      if (!(await insertWait(tx, claim, accountId, wait))) return 'lost'
      return { outcome: await takeEarlyResume(tx, claim.runId, wait) }
    })
  }

  /** `outcome`: of an event that came before and has ended it, or of somebody who resumed the run. */
  async beginEvent(
    claim: RunClaim,
    accountId: string,
    wait: NewWait,
    { names, key }: { names: readonly string[]; key: string | null },
  ): Promise<{ outcome: string | null } | 'lost'> {
    return this.#deps.database.system.transaction(async (tx) => {
      await lockNames(tx, accountId, names)
      if (!(await insertWait(tx, claim, accountId, wait))) return 'lost'
      const early = await takeEarlyResume(tx, claim.runId, wait)
      if (early !== null) return { outcome: early }
      const { blockId, itemIndex } = wait
      const wanted = { runId: claim.runId, blockId, itemIndex, accountId }
      return { outcome: await insertEventWait(tx, { ...wanted, names, key }) }
    })
  }

  async beginApproval(
    claim: RunClaim,
    { accountId, workflowId, runNumber }: Pick<NewApproval, 'accountId' | 'workflowId' | 'runNumber'>,
    wait: NewWait,
    asked: Pick<NewApproval, 'title' | 'message' | 'to' | 'countNeeded' | 'form'>,
  ): Promise<{ outcome: string | null } | 'lost'> {
    return this.#deps.database.system.transaction(async (tx) => {
      if (!(await insertWait(tx, claim, accountId, wait))) return 'lost'
      const early = await takeEarlyResume(tx, claim.runId, wait)
      if (early !== null) return { outcome: early }
      const { title, message, to, countNeeded, form } = asked
      await askForApproval(this.#deps, tx, {
        ...{ accountId, workflowId, runNumber, runId: claim.runId, uniqueBlockId: wait.blockId },
        ...{ itemIndex: wait.itemIndex, itemKey: wait.itemKey ?? null, timeoutAt: wait.dueAt as Date },
        ...{ title, message, to, countNeeded, form },
      })
      return { outcome: null }
    })
  }

  beginChild(claim: RunClaim, accountId: string, wait: ChildWait, child: NewChild): Promise<BegunChild> {
    return beginChild(this.#deps, claim, { wait, accountId }, child)
  }
}
