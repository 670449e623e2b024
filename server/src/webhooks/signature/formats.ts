/**
 * How the senders we know sign a request, as data: which header announces the format, which bytes are signed, and how
 * the signatures are written. Everything is HMAC-SHA256 over the raw body; a body that was parsed and written again
 * is not what the sender signed.
 */
import type { KeyObject } from 'node:crypto'
import { type HeaderValues, readHeader } from './headers.ts'
import { rememberKeys, standardWebhooksKeys } from './secret.ts'

/** What a header claims, ready to be recomputed. */
export type SignatureClaim = {
  /** Bytes that stand before the body in what was signed. */
  readonly signedPrefix: string
  /** Each as 64 hexadecimal digits in lower case. Any one of them proves the request; senders give several while they change a secret. */
  readonly signatures: readonly string[]
  /** Unix seconds; null for formats that sign no time. */
  readonly timestamp: number | null
}

export type SignatureFormat = {
  readonly name: string
  readonly header: string
  /** Undefined when the headers are not written as the format demands. */
  readonly read: (value: string, headers: HeaderValues) => SignatureClaim | undefined
  /** The same objects for the same secret: making them anew would cost more than signing. */
  readonly keys: (secret: string) => readonly KeyObject[]
}

const wholeSecret = rememberKeys((secret) => [Buffer.from(secret)])
const standardWebhooks = rememberKeys(standardWebhooksKeys)

/** In the order in which they are looked for; the first whose header is present decides. */
export const signatureFormats: readonly SignatureFormat[] = [
  { name: 'Standard Webhooks', header: 'webhook-signature', read: readStandardWebhooks, keys: standardWebhooks },
  { name: 'GitHub', header: 'x-hub-signature-256', read: readHexOverBody, keys: wholeSecret },
  { name: 'Stripe', header: 'stripe-signature', read: readStripe, keys: wholeSecret },
  { name: 'Shopify', header: 'x-shopify-hmac-sha256', read: readBase64OverBody, keys: wholeSecret },
  { name: 'WooCommerce', header: 'x-wc-webhook-signature', read: readBase64OverBody, keys: wholeSecret },
  { name: 'Slack', header: 'x-slack-signature', read: readSlack, keys: wholeSecret },
  { name: 'Patchbay', header: 'x-patchbay-signature', read: readHexOverBody, keys: wholeSecret },
]

function readStandardWebhooks(value: string, headers: HeaderValues): SignatureClaim | undefined {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = parseSeconds(readHeader(headers, 'webhook-timestamp'))
  // A dot inside the id could move the border between id, time and body without changing what is signed.
  if (!id || id.includes('.') || !timestamp) return undefined
  const signatures = value.split(' ').flatMap((item) => (item.startsWith('v1,') ? decodeBase64(item.slice(3)) : []))
  return { signedPrefix: `${id}.${timestamp.text}.`, signatures, timestamp: timestamp.seconds }
}

function readStripe(value: string): SignatureClaim | undefined {
  const fields = value.split(',').map((item) => item.trim().split('=', 2))
  const times = fields.filter(([name]) => name === 't').map(([, text]) => text)
  const timestamp = times.length === 1 ? parseSeconds(times[0]) : undefined
  if (!timestamp) return undefined
  const signatures = fields.flatMap(([name, text]) => (name === 'v1' ? decodeHex(text ?? '') : []))
  return { signedPrefix: `${timestamp.text}.`, signatures, timestamp: timestamp.seconds }
}

function readSlack(value: string, headers: HeaderValues): SignatureClaim | undefined {
  const timestamp = parseSeconds(readHeader(headers, 'x-slack-request-timestamp'))
  if (!timestamp || !value.startsWith('v0=')) return undefined
  return {
    signedPrefix: `v0:${timestamp.text}:`,
    signatures: decodeHex(value.slice(3)),
    timestamp: timestamp.seconds,
  }
}

function readHexOverBody(value: string): SignatureClaim | undefined {
  if (!value.startsWith('sha256=')) return undefined
  return { signedPrefix: '', signatures: decodeHex(value.slice(7)), timestamp: null }
}

function readBase64OverBody(value: string): SignatureClaim {
  return { signedPrefix: '', signatures: decodeBase64(value), timestamp: null }
}

function parseSeconds(text: string | undefined): { text: string; seconds: number } | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? { text, seconds: Number(text) } : undefined
}

/** One signature of 32 bytes, or none when the text is anything else. */
function decodeHex(text: string): string[] {
  return /^[0-9a-f]{64}$/i.test(text) ? [text.toLowerCase()] : []
}

function decodeBase64(text: string): string[] {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 && bytes.toString('base64') === text ? [bytes.toString('hex')] : []
}
