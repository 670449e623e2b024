export { installQueues, type Job, JobQueue, type QueueDefinitions } from './job-queue.ts'
