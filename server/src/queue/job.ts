export type Job<Data> = { id: string; data: Data; attempt: number; groupId: string | null }

/** One worker's hold on a job. Whatever is done with it has no effect once another worker took the job over. */
export type JobClaim = { id: string; attempt: number }

export type NewJob = {
  /** Made up when absent. */
  id?: string
  data?: object
  /** Jobs of a group can be passed over when jobs are taken. */
  groupId?: string
  /** Needed by queues with the policy `key_strict_fifo`. */
  key?: string
  startAfter?: Date
}
