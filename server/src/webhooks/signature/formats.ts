/**
 * How the senders we know sign a request, as data: which header announces the format, which bytes are signed, and how
 * the signatures are written. Everything is an HMAC over the raw body; a body that was parsed and written again is not
 * what the sender signed.
 */
import type { KeyObject } from 'node:crypto'
import { type HeaderValues, readHeader } from './headers.ts'
import { rememberKeys, standardWebhooksKeys } from './secret.ts'

/** What a signature may cover besides the body. */
export type SignedParts = {
  readonly headers: HeaderValues
  readonly method: string
  /** The public address that the sender called, with its query as it was sent. */
  url(): string
}

/** What a header claims, ready to be recomputed. */
export type SignatureClaim = {
  /** What stands before and after the body in what was signed. */
  readonly signedPrefix: string
  readonly signedSuffix?: string
  /** Each as hexadecimal digits in lower case. Any one of them proves the request; senders give several while they change a secret. */
  readonly signatures: readonly string[]
  /** Unix seconds; null for formats that sign no time. */
  readonly timestamp: number | null
  /** The sender's id of the delivery, if the signature covers it. */
  readonly signedId?: string | undefined
}

export type SignatureFormat = {
  readonly name: string
  readonly header: string
  /** Whether the signature always covers the time. */
  readonly isTimed?: boolean
  /** SHA-256 when absent. */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512'
  /** Undefined when the headers are not written as the format demands. */
  readonly read: (value: string, parts: SignedParts) => SignatureClaim | undefined
  /** Where the sender puts the id of its event into a JSON body. */
  readonly idInBody?: string
  /** Where it puts one into a header that is not signed. */
  readonly unsignedIdHeader?: string
  /** The same objects for the same secret: making them anew would cost more than signing. */
  readonly keys: (secret: string) => readonly KeyObject[]
}

export const wholeSecret = rememberKeys((secret) => [Buffer.from(secret)])
const standardWebhooks = rememberKeys(standardWebhooksKeys)

/** In the order in which they are looked for; the first whose header is present decides. */
export const signatureFormats: readonly SignatureFormat[] = [
  {
    name: 'Standard Webhooks',
    header: 'webhook-signature',
    read: (value, { headers }) => readStandardWebhooks(value, headers, 'webhook'),
    keys: standardWebhooks,
  },
  {
    name: 'Svix',
    header: 'svix-signature',
    read: (value, { headers }) => readStandardWebhooks(value, headers, 'svix'),
    keys: standardWebhooks,
  },
  { name: 'GitHub', header: 'x-hub-signature-256', read: readHexOverBody, keys: wholeSecret },
  { name: 'Stripe', header: 'stripe-signature', read: readStripe, idInBody: 'id', keys: wholeSecret },
  { name: 'Shopify', header: 'x-shopify-hmac-sha256', read: readBase64OverBody, keys: wholeSecret },
  { name: 'WooCommerce', header: 'x-wc-webhook-signature', read: readBase64OverBody, keys: wholeSecret },
  { name: 'Slack', header: 'x-slack-signature', read: readSlack, idInBody: 'event_id', keys: wholeSecret },
  { name: 'Xero', header: 'x-xero-signature', read: readBase64OverBody, keys: wholeSecret },
  { name: 'QuickBooks', header: 'intuit-signature', read: readBase64OverBody, keys: wholeSecret },
  { name: 'HubSpot', header: 'x-hubspot-signature-v3', read: readHubSpot, keys: wholeSecret },
  { name: 'Patchbay', header: 'x-patchbay-signature', read: readHexOverBody, keys: wholeSecret },
  { name: 'WebSub', header: 'x-hub-signature', read: readHexOverBody, keys: wholeSecret },
]

/** SHA-1 is sent for old receivers beside a better signature, and counts as no signature at all. */
export function isAnnounced({ header }: SignatureFormat, headers: HeaderValues): boolean {
  const value = headers[header]
  return (
    value !== undefined && !(header === 'x-hub-signature' && typeof value === 'string' && value.startsWith('sha1='))
  )
}

function readStandardWebhooks(
  value: string,
  headers: HeaderValues,
  prefix: 'webhook' | 'svix',
): SignatureClaim | undefined {
  const id = readHeader(headers, `${prefix}-id`)
  const timestamp = parseTime(readHeader(headers, `${prefix}-timestamp`))
  // A dot inside the id could move the border between id, time and body without changing what is signed.
  if (!id || id.includes('.') || !timestamp) return undefined
  const signatures = value.split(' ').flatMap((item) => (item.startsWith('v1,') ? decodeBase64(item.slice(3)) : []))
  return { signedPrefix: `${id}.${timestamp.text}.`, signatures, timestamp: timestamp.seconds, signedId: id }
}

function readStripe(value: string): SignatureClaim | undefined {
  const fields = value.split(',').map((item) => item.trim().split('=', 2))
  const times = fields.filter(([name]) => name === 't').map(([, text]) => text)
  const timestamp = times.length === 1 ? parseTime(times[0]) : undefined
  if (!timestamp) return undefined
  const signatures = fields.flatMap(([name, text]) => (name === 'v1' ? decodeHex(text ?? '') : []))
  return { signedPrefix: `${timestamp.text}.`, signatures, timestamp: timestamp.seconds }
}

function readSlack(value: string, { headers }: SignedParts): SignatureClaim | undefined {
  const timestamp = parseTime(readHeader(headers, 'x-slack-request-timestamp'))
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

/** HubSpot puts the time last, and signs its own reading of the address, in which some characters are not encoded. */
function readHubSpot(value: string, { headers, method, url }: SignedParts): SignatureClaim | undefined {
  const timestamp = parseTime(readHeader(headers, 'x-hubspot-request-timestamp'))
  if (!timestamp) return undefined
  const address = url().replaceAll(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (code) => decodeURIComponent(code))
  return {
    signedPrefix: `${method}${address}`,
    signedSuffix: timestamp.text,
    signatures: decodeBase64(value),
    timestamp: timestamp.seconds,
  }
}

const millisecondsFrom = 100_000_000_000

/** Seconds since 1970, or milliseconds when the number is so large that it can mean nothing else. */
export function parseTime(text: string | undefined): { text: string; seconds: number } | undefined {
  if (text === undefined || !/^\d{1,13}$/.test(text)) return undefined
  const number = Number(text)
  return { text, seconds: number >= millisecondsFrom ? number / 1000 : number }
}

/** One signature, of 32 bytes unless said otherwise, or none when the text is anything else. */
export function decodeHex(text: string, bytes = 32): string[] {
  return text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text) ? [text.toLowerCase()] : []
}

export function decodeBase64(text: string, length = 32): string[] {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === length && bytes.toString('base64') === text ? [bytes.toString('hex')] : []
}
