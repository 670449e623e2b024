export { FetchLoop } from './fetch-loop.ts'
export { installQueues, type QueueDefinitions } from './install-queues.ts'
export type { Job } from './job.ts'
export { JobQueue } from './job-queue.ts'
export {
  listNewestGroups,
  listWaitingGroups,
  type TakenJob,
  takeOfGroups,
  takeOldest,
  type WaitingGroup,
} from './take-jobs.ts'
export { TurnWorker } from './turn-worker.ts'
