import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/** Headers of Standard Webhooks: id and time are signed together with the body, so neither can be exchanged. */
export function signedHeaders(secret: string, message: { id: string; at: Date; body: string }): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
