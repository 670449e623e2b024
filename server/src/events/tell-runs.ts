// Failure reaches people: a mail at the first failure after success and at the recovery, and events to whoever asked for them.
import type { Tx } from '../db/index.ts'
import type { NewEvent } from './event.ts'
import { type PublishEvents, titleOf } from './publish.ts'

/** As much of an ended run as is told. */
export type ToldRun = {
  accountId: string
  workflowId: string
  runNumber: number
  runBy: string
  processorType: string
  status: string
  errorMessage: string | null
  webhookIds: readonly string[] | null
}

/** Of a workflow, before and after these runs ended. `Paused`: by its failures. */
export type ToldWorkflow = {
  workflowId: string
  name: string
  wasFailing: boolean
  wasPaused: boolean
  isPaused: boolean
}

export type TellDeps = { publish: PublishEvents; baseUrl: () => string }

export async function tellRuns(
  deps: TellDeps,
  tx: Tx,
  ended: readonly ToldRun[],
  workflows: readonly ToldWorkflow[],
): Promise<void> {
  // Partial runs are experiments, and a stopped run says nothing.
  const telling = ended
    .filter(({ processorType, status }) => processorType === 'Standard' && status !== 'Stopped')
    .sort((one, other) => one.runNumber - other.runNumber)
  const byWorkflow = Map.groupBy(telling, ({ workflowId }) => workflowId)
  await deps.publish(
    tx,
    workflows.flatMap((workflow) => describeEnds(deps.baseUrl(), workflow, byWorkflow.get(workflow.workflowId) ?? [])),
  )
}

function describeEnds(baseUrl: string, workflow: ToldWorkflow, runs: readonly ToldRun[]): NewEvent[] {
  const events: NewEvent[] = []
  const mails = mailsAbout(baseUrl, workflow)
  const isResumed = workflow.wasPaused && !workflow.isPaused
  let isFailing = workflow.wasFailing
  for (const run of runs) {
    const wasFailing = isFailing
    isFailing = run.status === 'Error'
    if (isFailing) {
      const mail = wasFailing ? {} : { mail: mails.failed(run) }
      events.push({ accountId: run.accountId, type: 'run.failed', data: dataOf(run, workflow), ...mail })
    } else if (wasFailing) {
      // A recovery is mailed once: the end of a pause says it already.
      const mail = isResumed ? {} : { mail: mails.recovered(run) }
      events.push({ accountId: run.accountId, type: 'run.recovered', data: dataOf(run, workflow), ...mail })
    }
  }
  const last = runs.findLast(({ status }) => (status === 'Error') === workflow.isPaused)
  if (last && workflow.isPaused && !workflow.wasPaused)
    events.push({
      accountId: last.accountId,
      type: 'workflow.paused',
      data: dataOf(last, workflow),
      mail: mails.paused(last),
    })
  if (last && isResumed)
    events.push({
      accountId: last.accountId,
      type: 'workflow.resumed',
      data: dataOf(last, workflow),
      mail: mails.resumed(last),
    })
  return events
}

function dataOf(run: ToldRun, { name }: ToldWorkflow): NewEvent['data'] {
  const { workflowId, runNumber, runBy, status, errorMessage, webhookIds } = run
  const data = { workflowId, workflowName: name, runNumber, runBy, status, errorMessage }
  return webhookIds === null ? data : { ...data, webhookIds }
}

function mailsAbout(baseUrl: string, { workflowId, name }: ToldWorkflow) {
  const title = titleOf(name)
  const page = `${baseUrl}/workflows/${workflowId}`
  const reasonOf = ({ errorMessage }: ToldRun) => errorMessage ?? 'It gave no reason.'
  return {
    failed: (run: ToldRun) => ({
      subject: `Workflow "${title}" failed`,
      text: [
        `Run ${run.runNumber} of workflow "${title}" failed:`,
        '',
        reasonOf(run),
        '',
        'You will not get another e-mail about this workflow until it works again or is paused.',
        `Details: ${page}/runs/${run.runNumber}`,
      ].join('\n'),
    }),
    recovered: (run: ToldRun) => ({
      subject: `Workflow "${title}" works again`,
      text: [`Run ${run.runNumber} of workflow "${title}" succeeded.`, '', `Details: ${page}`].join('\n'),
    }),
    paused: (run: ToldRun) => ({
      subject: `Workflow "${title}" is paused`,
      text: [
        `Workflow "${title}" failed 10 times in a row, so its automatic runs are paused. The last error, in run ${run.runNumber}:`,
        '',
        reasonOf(run),
        '',
        'Webhook requests are still accepted and wait in the queue. Patchbay tries one run after 5 minutes, then at growing intervals of up to an hour. The first success resumes the workflow.',
        `To resume it now, or to see what went wrong: ${page}/runs/${run.runNumber}`,
      ].join('\n'),
    }),
    resumed: (run: ToldRun) => ({
      subject: `Workflow "${title}" is running again`,
      text: [
        `Run ${run.runNumber} of workflow "${title}" succeeded, so its automatic runs have been resumed.`,
        '',
        `Details: ${page}`,
      ].join('\n'),
    }),
  }
}
