export { FetchLoop } from './fetch-loop.ts'
export type { Job, QueueDefinitions } from './job.ts'
export { JobQueue } from './job-queue.ts'
export { JobWorker } from './job-worker.ts'
export {
  listNewestGroups,
  listWaitingGroups,
  type TakenJob,
  takeOfGroups,
  takeOldest,
  type WaitingGroup,
} from './take-jobs.ts'
