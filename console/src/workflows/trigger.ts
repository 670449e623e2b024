// What starts a workflow, in words: the first thing on its canvas.
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { scheduleWords } from '../schedules/schedule-words.ts'

export type Trigger = {
  kind: 'schedule' | 'webhook' | 'hand'
  title: string
  detail: string
  /** The tab that sets it up. */
  tab: 'schedule' | 'webhook'
  [key: string]: unknown
}

export function triggerOf(workflow: WorkflowDetail): Trigger {
  const { isScheduled, scheduleFrequency, timeZone, isWebhookActive } = workflow
  const schedule = isScheduled && scheduleFrequency ? scheduleWords(scheduleFrequency) : undefined
  if (isWebhookActive) {
    const detail = schedule ? `and ${schedule.toLowerCase()}` : 'For each request'
    return { kind: 'webhook', title: 'Webhook', detail, tab: 'webhook' }
  }
  if (schedule) return { kind: 'schedule', title: schedule, detail: timeZone ?? 'UTC', tab: 'schedule' }
  return { kind: 'hand', title: 'By hand', detail: 'Set a schedule', tab: 'schedule' }
}
