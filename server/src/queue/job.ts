export type Job<Data> = { id: string; data: Data; attempt: number; groupId: string | null }

/** One worker's hold on a job. Whatever is done with it has no effect once another worker took the job over. */
export type JobClaim = { id: string; attempt: number }

/** The jobs `$2` of the queue `$1`, each under its attempt of `$3`. The ids come as one array, so that no estimate makes the server go through the whole table. */
export const isClaimed =
  'queue = $1 and id = any ($2::uuid[]) and attempt = ($3::integer[])[array_position($2::uuid[], id)]'

export type NewJob = {
  /** Made up when absent. */
  id?: string
  data?: object
  /** The account that it is for. Jobs of a group can be passed over when jobs are taken. */
  groupId?: string
  startAfter?: Date
}

export type QueueDefinition = {
  /** Seconds without a heartbeat after which a job counts as abandoned. Without it, only `expireSeconds` count. */
  heartbeatSeconds?: number
  /** How often a job is tried again before it is thrown away. */
  retryLimit: number
  retryDelaySeconds: number
  retryDelaySecondsMax?: number
  /** False: every retry waits the same time. */
  growsDelay?: boolean
  /** Seconds a job may be worked on in all; 15 minutes unless said. */
  expireSeconds?: number
}

export type QueueDefinitions = Readonly<Record<string, QueueDefinition>>

/** Of a queue that nothing is said about. */
const usual: QueueDefinition = { retryLimit: 0, retryDelaySeconds: 0 }

export function definitionOf(definitions: QueueDefinitions, queue: string): QueueDefinition {
  return definitions[queue] ?? usual
}
