import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Client } from './client.ts'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'
import { deployWorkflow } from './workflows.ts'

export type SampleWebhook = {
  workflowId: string
  url: string
  secret: string
  /** Sends a signed request: JSON unless the body is text or bytes. */
  send(body: unknown, headers?: Record<string, string>, method?: string): Promise<Answer>
}

/** Enables the webhook of a workflow for the first time. */
export async function enableWebhook(
  client: Client,
  workflowId: string,
  settings: Record<string, unknown> = {},
): Promise<SampleWebhook> {
  const enabled = await client.post(`/api/WebhookSettingsEnable/${workflowId}`, settings)
  expect(enabled.status, enabled.text).toBe(200)
  const { url, secret } = enabled.body as { url: string; secret: string }
  return {
    workflowId,
    url,
    secret,
    send: (body, headers = {}, method = 'POST') => {
      const bytes = toBytes(body)
      return sendRaw(url, bytes, { 'X-Patchbay-Signature': signature(secret, bytes), ...headers }, method)
    },
  }
}

export function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export function signature(secret: string, bytes: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
}

export async function sendRaw(
  url: string,
  bytes: Buffer | undefined,
  headers: Record<string, string>,
  method = 'POST',
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers,
    ...(bytes === undefined ? {} : { body: new Uint8Array(bytes) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, body: isJson ? JSON.parse(text) : text, text, headers: response.headers }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered and asserts its shape.
export async function queueOf(client: Client, workflowId: string, search: object = {}): Promise<any> {
  const answer = await client.post(`/api/GetWebhookQueue/${workflowId}`, search)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered and asserts its shape.
export async function historyOf(client: Client, workflowId: string, search: object = {}): Promise<any> {
  const answer = await client.post(`/api/GetWebhookHistory/${workflowId}`, search)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Waits until a request has left the queue, and returns its line in the history. */
export function leftQueue(client: Client, workflowId: string, webhookId: string) {
  return eventually(async () => {
    const { items } = await historyOf(client, workflowId, { size: 1000 })
    return items.find((item: { webhookId: string }) => item.webhookId === webhookId)
  })
}

/** Waits until a request that is still in the queue has a status, and returns its item. */
export function hasStatus(client: Client, workflowId: string, webhookId: string, status: string) {
  return eventually(async () => {
    const { items } = await queueOf(client, workflowId, { size: 1000 })
    return items.find(
      (item: { webhookId: string; status: string }) => item.webhookId === webhookId && item.status === status,
    )
  })
}

/** A deployed workflow that answers with what it received, and its webhook. */
export async function deployWebhook(client: Client, settings: Record<string, unknown> = {}): Promise<SampleWebhook> {
  const { id } = await deployWorkflow(client, ['return webhook'])
  return enableWebhook(client, id, settings)
}

/** Whatever is there of requests to a workflow, anywhere. */
export async function countStored(service: TestService, workflowId: string): Promise<unknown> {
  const [row] = await service.asOwner(
    `select (select count(*) from webhook_requests where workflow_id = $1)::int + (select count(*) from webhook_samples where workflow_id = $1)::int
      + (select count(*) from webhook_queue where workflow_id = $1)::int + (select count(*) from webhook_history where workflow_id = $1)::int as count`,
    [workflowId],
  )
  return row?.['count']
}
