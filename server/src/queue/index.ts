export { installQueues, type QueueDefinitions } from './install-queues.ts'
export { type Job, JobQueue } from './job-queue.ts'
export { listWaitingGroups, type TakenJob, takeOfGroups, takeOldest } from './take-jobs.ts'
export { TurnWorker } from './turn-worker.ts'
