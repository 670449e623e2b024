export { webhookReplayQueue } from './history/replay.ts'
export {
  findWebhookOutcomes,
  loadWebhookTexts,
  sizeWebhookTexts,
  type WebhookText,
} from './history/searchable-texts.ts'
export { webhookCheckQueue } from './queue/feed.ts'
export { createRunPorts, createWebhooks } from './service.ts'
