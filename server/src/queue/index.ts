export { installQueues, type QueueDefinitions } from './install-queues.ts'
export { type Job, type JobClaim, JobQueue, type NewJob } from './job-queue.ts'
