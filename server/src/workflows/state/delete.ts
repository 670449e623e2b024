import { setTimeout as wait } from 'node:timers/promises'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, transactDespiteDeadlock } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { refuseWhileUsed } from '../definition/sub-workflows.ts'
import type { WorkflowRuns } from '../ports.ts'
import { allowStarts, deleteWorkflowRow, hasWorkflow, preventStarts } from '../store.ts'

type DeleteDeps = { database: Database; runs: WorkflowRuns }

/** What a block gets to come to its end; then its script is ended. */
const graceMs = 10_000
/** Longer than it takes until a run of a worker that died is taken up by another, which then ends it. */
const patienceMs = 75_000
const lookAgainMs = 100

/**
 * A run under way is stopped first, and nothing of it happens after the answer. Meanwhile no other starts. If it cannot be stopped, the workflow
 * stays as it was.
 */
export async function deleteWorkflow(deps: DeleteDeps, principal: Principal, id: string): Promise<boolean> {
  const { accountId } = scopeOf(principal)
  const { system } = deps.database
  const startedMs = performance.now()
  const asked = new Set<string>()
  await refuseWhileUsed(system, accountId, id)
  for (;;) {
    if (!(await hasWorkflow(system, accountId, id))) throw notFound('workflow')
    const inHand = await deps.runs.listInHand(id)
    if (inHand.length === 0 && (await removeAll(deps, principal, id))) return true
    const waitedMs = performance.now() - startedMs
    if (waitedMs > patienceMs) {
      await allowStarts(system, accountId, id)
      throw new AppError('not_ready', 'A run of the workflow could not be stopped yet. Try again.')
    }
    await preventStarts(system, accountId, id)
    const isAborted = waitedMs > graceMs
    const unasked = isAborted ? inHand : inHand.filter((runId) => !asked.has(runId))
    if (unasked.length > 0) await deps.runs.askToStop(unasked, isAborted)
    for (const runId of unasked) asked.add(runId)
    await wait(lookAgainMs)
  }
}

class RunInHand extends Error {}

/**
 * With everything that refers to it; the database takes along what names the workflow. Runs are taken away before it, in the order in which
 * a run that ends takes its locks, and once more after it: a run that was just starting is seen only then, and none can start any more. Should
 * that one end at the same moment, it holds its run and waits for the workflow, while this waits for the run. False when a worker took a run.
 */
async function removeAll({ database, runs }: DeleteDeps, principal: Principal, id: string): Promise<boolean> {
  const scope = scopeOf(principal)
  try {
    await transactDespiteDeadlock(database.system, async (tx) => {
      if (!(await runs.remove(tx, id))) throw new RunInHand()
      if (!(await deleteWorkflowRow(tx, scope, id))) throw notFound('workflow')
      // Whoever named it meanwhile held it, so it is seen now.
      await refuseWhileUsed(tx, scope.accountId, id)
      if (!(await runs.remove(tx, id))) throw new RunInHand()
      await recordAudit(tx, actorOf(principal), { action: 'workflow.deleted', target: id })
    })
    return true
  } catch (error) {
    if (error instanceof RunInHand) return false
    throw error
  }
}
