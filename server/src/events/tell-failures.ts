// Failure reaches people: a mail at the first failure after success, and events to whoever asked for them.
import type { Queryable, Tx } from '../db/index.ts'
import type { Outbox } from '../mail/index.ts'
import type { PublishEvent } from './publish.ts'
import { findEmail, wantsFailureMail } from './store.ts'

/** As much of an ended run as is told. */
export type ToldRun = {
  accountId: string
  workflowId: string
  runNumber: number
  runBy: string
  processorType: string
  status: string
  errorMessage: string | null
}

/** Of a workflow, as it was before these runs ended. */
export type ToldWorkflow = { workflowId: string; name: string; wasFailing: boolean }

export type TellDeps = { publish: PublishEvent; outbox: Outbox; baseUrl: () => string }

export async function tellFailures(
  deps: TellDeps,
  tx: Tx,
  ended: readonly ToldRun[],
  workflows: readonly ToldWorkflow[],
): Promise<void> {
  const failing = new Map(workflows.map(({ workflowId, wasFailing }) => [workflowId, wasFailing]))
  const names = new Map(workflows.map(({ workflowId, name }) => [workflowId, name]))
  for (const run of [...ended].sort((one, other) => one.runNumber - other.runNumber)) {
    const name = names.get(run.workflowId)
    // Partial runs are experiments, and a stopped run says nothing.
    if (name === undefined || run.processorType !== 'Standard' || run.status === 'Stopped') continue
    const wasFailing = failing.get(run.workflowId) === true
    const isFailing = run.status === 'Error'
    failing.set(run.workflowId, isFailing)
    if (isFailing) {
      await deps.publish(tx, run.accountId, 'run.failed', describe(run, name))
      if (!wasFailing) await mailFailure(deps, tx, run, name)
    } else if (wasFailing) await deps.publish(tx, run.accountId, 'run.recovered', describe(run, name))
  }
}

function describe(run: ToldRun, workflowName: string): object {
  const { accountId, workflowId, runNumber, runBy, status, errorMessage } = run
  return { accountId, workflowId, workflowName, runNumber, runBy, status, errorMessage }
}

async function mailFailure(deps: TellDeps, tx: Queryable, run: ToldRun, name: string): Promise<void> {
  const [isWanted, email] = await Promise.all([wantsFailureMail(tx, run.accountId), findEmail(tx, run.accountId)])
  if (!isWanted || email === undefined) return
  // Names come from users; a line break in one must not become a header.
  const title = name.replace(/\s+/g, ' ').slice(0, 200)
  await deps.outbox.enqueue(tx, run.accountId, {
    to: [email],
    subject: `The workflow "${title}" failed`,
    text: [
      `Run ${run.runNumber} of the workflow "${title}" failed.`,
      '',
      run.errorMessage ?? 'It gave no message.',
      '',
      'You are told of the first failure only; the next mail comes after the workflow has worked again.',
      `The service: ${deps.baseUrl()}`,
    ].join('\n'),
  })
}
