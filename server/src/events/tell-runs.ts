// Failure reaches people, and events whoever asked for them. A mail goes out at the first failure after success; a webhook request that fails again
// is no news, however many others succeeded meanwhile. The recovery is mailed when nothing of the workflow fails any more.
import type { Tx } from '../db/index.ts'
import type { NewEvent } from './event.ts'
import { type PublishEvents, titleOf } from './publish.ts'

/** As much of an ended run as is told. */
export type ToldRun = {
  id: string
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
  /** Somebody was mailed that it fails, and not yet that it works again. */
  wasTold: boolean
  wasPaused: boolean
  isPaused: boolean
}

export type TellDeps = {
  publish: PublishEvents
  baseUrl: () => string
  /** Runs whose webhook requests had all failed before. */
  repeated: ReadonlySet<string>
  /** Those of the workflows that have a webhook request which failed and will be tried again. */
  listWaiting(tx: Tx, workflowIds: readonly string[]): Promise<ReadonlySet<string>>
  setTold(tx: Tx, workflowIds: readonly string[], isTold: boolean): Promise<void>
}

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
  const runsOf = ({ workflowId }: ToldWorkflow) => byWorkflow.get(workflowId) ?? []
  const mayRecover = workflows.filter((workflow) => runsOf(workflow).some(({ status }) => status !== 'Error'))
  const waiting =
    mayRecover.length === 0
      ? new Set<string>()
      : await deps.listWaiting(
          tx,
          mayRecover.map(({ workflowId }) => workflowId),
        )
  const told = workflows.map((workflow) => ({
    workflow,
    ...describeEnds(deps, workflow, { runs: runsOf(workflow), hasWaiting: waiting.has(workflow.workflowId) }),
  }))
  const changed = (isTold: boolean) =>
    told.filter((one) => one.isTold === isTold && one.workflow.wasTold !== isTold).map((one) => one.workflow.workflowId)
  await deps.setTold(tx, changed(true), true)
  await deps.setTold(tx, changed(false), false)
  await deps.publish(
    tx,
    told.flatMap(({ events }) => events),
  )
}

/** `hasWaiting`: a request of the workflow failed and will be tried again. */
type Ends = { runs: readonly ToldRun[]; hasWaiting: boolean }

function describeEnds(
  { baseUrl, repeated }: TellDeps,
  workflow: ToldWorkflow,
  { runs, hasWaiting }: Ends,
): { events: NewEvent[]; isTold: boolean } {
  const events: NewEvent[] = []
  const mails = mailsAbout(baseUrl(), workflow)
  const isResumed = workflow.wasPaused && !workflow.isPaused
  const endsWell = runs.at(-1)?.status !== 'Error'
  let isFailing = workflow.wasFailing
  let isTold = workflow.wasTold
  for (const run of runs) {
    const wasFailing = isFailing
    isFailing = run.status === 'Error'
    if (isFailing) {
      const isNews = !wasFailing && !repeated.has(run.id)
      if (isNews) isTold = true
      const mail = isNews ? { mail: mails.failed(run) } : {}
      events.push({ accountId: run.accountId, type: 'run.failed', data: dataOf(run, workflow), ...mail })
    } else if (wasFailing || isTold) {
      // A recovery is mailed once: the end of a pause says it already, also for what waited meanwhile.
      const isOver = isTold && endsWell && (isResumed || !hasWaiting)
      if (isOver) isTold = false
      const mail = isOver && !isResumed ? { mail: mails.recovered(run) } : {}
      if (wasFailing || isOver)
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
  return { events, isTold }
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
        'You will not get another e-mail about this failure until everything works again, the workflow is paused, or a webhook request is given up.',
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
