export { webhookReplayQueue } from './history/replay.ts'
export { webhookCheckQueue } from './queue/feed.ts'
export { createRunPorts, createWebhooks } from './service.ts'
