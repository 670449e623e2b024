import type { Database } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { setSchedule } from './set-schedule.ts'

export function scheduleRoutes(deps: { database: Database; publish: PublishEvents }): HandlersOf<'WorkflowScheduler'> {
  return { WorkflowScheduler: ({ principal, body }) => setSchedule(deps, principal, body) }
}
