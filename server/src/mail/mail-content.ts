import type { JsonText } from '../lib/json-text.ts'

export type MailContent = {
  to: string[]
  cc?: string[]
  bcc?: string[]
  subject: string
  text?: string
  html?: string
  replyTo?: string
  /** Shown as the sender. The address stays the service's own, which mail servers check. */
  fromName?: string
  attachments?: { filename: string; contentBase64: string | JsonText; contentType?: string }[]
}
