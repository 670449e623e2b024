export { webhookCheckQueue } from './feed.ts'
export { webhookReplayQueue } from './replay.ts'
export { createRunPorts, createWebhooks } from './service.ts'
