// The queues of all features, and how each treats jobs that fail or whose worker dies.
import { connectionCareQueue } from './connections/index.ts'
import { mailQueue, mailRetries } from './mail/index.ts'
import type { QueueDefinitions } from './queue/index.ts'
import { replayQueue } from './replay/index.ts'
import { runQueue } from './runs/index.ts'
import { upgradeQueue } from './upgrades/index.ts'
import { webhookCheckQueue, webhookReplayQueue } from './webhooks/index.ts'

export const queues: QueueDefinitions = {
  // The mailer decides which try is the last one; the queue has more, for a worker that dies over that one.
  [mailQueue]: { retryLimit: 2 * mailRetries, retryDelaySeconds: 5, retryDelaySecondsMax: 600 },
  // What a check misses, the next one finds.
  [connectionCareQueue]: { retryLimit: 0, retryDelaySeconds: 0 },
  // Retries are endless here: a run counts for itself how often its workers died.
  [runQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 0,
    growsDelay: false,
    expireSeconds: 86_400,
  },
  // A request that was taken is looked at until somebody has done so, however many die over it.
  [webhookCheckQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 1,
    growsDelay: false,
    expireSeconds: 7200,
  },
  // Rows say how far an upgrade is, so a turn that died is simply taken again.
  [upgradeQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 1,
    growsDelay: false,
    expireSeconds: 7200,
  },
  // Each run of a replay is stored by itself: whoever takes it over goes on with the rest.
  [replayQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1000,
    retryDelaySeconds: 2,
    growsDelay: false,
    expireSeconds: 86_400,
  },
  [webhookReplayQueue]: { retryLimit: 1000, retryDelaySeconds: 5, growsDelay: false, expireSeconds: 3600 },
}
