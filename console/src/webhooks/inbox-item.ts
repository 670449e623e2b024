import type { Answer } from '../api.ts'

export type InboxItem = Answer<'GetWebhookQueue'>['items'][number] | Answer<'GetWebhookHistory'>['items'][number]
