/**
 * Decisions of people. An approval is open until enough have approved, one has rejected, its time is over, or its run goes on or ends otherwise:
 *
 *   open ─► approved | rejected | timedOut | resumed | stopped
 *
 * Whoever ends it locks its row first, so that one of them does. The job comes before everything, as for everybody who settles a run with its job.
 */
import { type Actor, recordAudit } from '../../audit/index.ts'
import type { Database, Tx } from '../../db/index.ts'
import type { JobQueue } from '../../queue/index.ts'
import { resolveWait } from '../record/wait-store.ts'
import { runQueue } from '../run.ts'
import { type Approval, type Decision, findApproval, updateDecisions } from './approval-store.ts'
import { readFormValues } from './form-values.ts'

export type DecideDeps = { database: Database; jobs: JobQueue }

export type GivenDecision = {
  /** An e-mail address: each counts once. */
  by: string
  isApproved: boolean
  comment: string | null
  form: Readonly<Record<string, unknown>>
}

/** The approval as it is afterwards; undefined when there is none. Throws when the form is not filled in. */
export async function decide(
  { database, jobs }: DecideDeps,
  { accountId, id }: { accountId: string; id: string },
  given: GivenDecision,
  actor: Actor,
): Promise<Approval | undefined> {
  const found = await findApproval(database.system, accountId, id)
  if (!found || found.outcome !== null || hasDecided(found, given.by)) return found
  return database.system.transaction(async (tx) => {
    await jobs.lock(tx, runQueue, [found.runId])
    const approval = await findApproval(tx, accountId, id, 'lock')
    if (!approval || approval.outcome !== null || hasDecided(approval, given.by)) return approval
    const decision: Decision = {
      by: given.by,
      approved: given.isApproved,
      comment: given.comment,
      form: readFormValues(approval.form, given.form, given.isApproved),
      dateTimeUTC: new Date().toISOString(),
    }
    const decisions = [...approval.decisions, decision]
    const outcome = outcomeOf(decisions, approval.countNeeded)
    await updateDecisions(tx, id, { decisions, outcome })
    if (outcome) await goOn(jobs, tx, approval, { outcome, decision })
    const { workflowId, runNumber, uniqueBlockId, itemKey } = approval
    await recordAudit(tx, actor, {
      action: given.isApproved ? 'approval.approved' : 'approval.rejected',
      target: id,
      details: { workflowId, runNumber, uniqueBlockId, itemKey, by: given.by, outcome },
    })
    return { ...approval, decisions, outcome }
  })
}

export function hasDecided({ decisions }: Approval, by: string): boolean {
  return decisions.some((decision) => decision.by.toLowerCase() === by.toLowerCase())
}

function outcomeOf(decisions: readonly Decision[], countNeeded: number): 'approved' | 'rejected' | null {
  if (decisions.some(({ approved }) => !approved)) return 'rejected'
  return decisions.length >= countNeeded ? 'approved' : null
}

async function goOn(
  jobs: JobQueue,
  tx: Tx,
  { runId, uniqueBlockId: blockId, itemIndex }: Approval,
  { outcome, decision }: { outcome: 'approved' | 'rejected'; decision: Decision },
): Promise<void> {
  const { form: data, by, comment, dateTimeUTC } = decision
  const told = JSON.stringify({ outcome, data, by, comment, dateTimeUTC })
  if (await resolveWait(tx, { runId, blockId, itemIndex }, told)) await jobs.wake(tx, runQueue, [runId])
}
