import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { joinProblems } from '../engine/problem.ts'
import { nextTick, parseSchedule } from '../engine/time/schedule.ts'
import type { PublishEvents } from '../events/index.ts'
import { AppError, invalid, notFound } from '../lib/app-error.ts'
import { describeWait, resumeByHand } from '../runs/index.ts'
import { findForUpdate, updateSchedule } from './store.ts'

export type ScheduleBody = {
  workflowId: string
  isScheduled: boolean
  scheduleFrequency?: string | null
  timeZone?: string | null
}

/** Answers with a sentence. */
export async function setSchedule(
  deps: { database: Database; publish: PublishEvents },
  principal: Principal,
  body: ScheduleBody,
): Promise<string> {
  const { accountId } = scopeOf(principal)
  const id = body.workflowId
  return deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const workflow = await findForUpdate(tx, accountId, id)
    if (!workflow) throw notFound('workflow')
    if (!body.isScheduled) {
      // When it would have run no longer matters, so what the request says about that is not looked at and what is stored stays.
      const { frequency, timeZone } = workflow
      await updateSchedule(tx, accountId, id, { isScheduled: false, frequency, timeZone, nextRunAt: null })
      await recordAudit(tx, actorOf(principal), { action: 'schedule.disabled', target: id })
      return `The scheduler of the workflow "${workflow.name}" is disabled.`
    }
    const given = body.scheduleFrequency ?? workflow.frequency
    const timeZone = body.timeZone === undefined ? workflow.timeZone : body.timeZone
    if (workflow.state !== 'deployed') {
      const words = workflow.state === 'archived' ? 'archived' : 'not deployed'
      throw new AppError(
        'workflow_not_deployed',
        `The workflow is ${words}; only a deployed workflow can be scheduled.`,
      )
    }
    if (given === null) throw invalid('The field scheduleFrequency is required: the workflow has none stored.')
    const schedule = parseSchedule(given, timeZone)
    if (!schedule.ok) throw invalid(joinProblems(schedule.problems))
    const { frequency } = schedule.value
    const after = new Date(Math.max(workflow.now.getTime(), workflow.lastTick?.getTime() ?? 0))
    const nextRunAt = nextTick(schedule.value, after)
    await updateSchedule(tx, accountId, id, { isScheduled: true, frequency, timeZone, nextRunAt })
    const resumed = await resumeByHand(deps.publish, tx, accountId, id)
    await recordAudit(tx, actorOf(principal), {
      action: 'schedule.enabled',
      target: id,
      details: { frequency, timeZone },
    })
    const wait = resumed && describeWait(resumed)
    const sentence = `The scheduler of the workflow "${workflow.name}" is enabled (${frequency}${timeZone === null ? '' : `, ${timeZone}`})`
    return wait === undefined ? `${sentence}; it runs next at ${nextRunAt.toISOString()}.` : `${sentence}. ${wait}`
  })
}
