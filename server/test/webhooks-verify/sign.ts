import { createHash } from 'node:crypto'
import type { WebhookSignature } from '@patchbay/contract'

/** HMAC-SHA256 written out from RFC 2104, so that the service's own way of computing it is not its own judge. */
export function hmac(key: Uint8Array, ...parts: (string | Uint8Array)[]): Buffer {
  const blockBytes = 64
  const padded = Buffer.alloc(blockBytes)
  Buffer.from(key.length > blockBytes ? sha256(key) : key).copy(padded)
  const inner = sha256(
    padded.map((byte) => byte ^ 0x36),
    ...parts,
  )
  return sha256(
    padded.map((byte) => byte ^ 0x5c),
    inner,
  )
}

function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** With characters that one of the senders signs in another form than it sends them. */
export const url = 'https://hooks.example.com/in/01?from=a%3Ab%20c'
export const now = new Date('2026-11-14T12:00:00.000Z')
const seconds = String(now.getTime() / 1000)
export const secret = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`
/** Not UTF-8, so that anything that reads the body as text on its way breaks. */
export const body = Buffer.concat([
  Buffer.from('{"order": 1, "bytes": "'),
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  Buffer.from('"}'),
])

type Headers = Record<string, string>
type SigningInput = { secret?: string; body?: Uint8Array; time?: string; id?: string }
export type SampleFormat = {
  name: string
  header: string
  /** It signs the address too, which here is a made-up one. */
  signsUrl?: true
  /** The description in the settings, for a format that is not known. */
  custom?: WebhookSignature
  /** Headers the signature covers, besides its own. */
  signedHeaders: string[]
  sign: (input?: SigningInput) => Headers
}

const whole = (text: string) => Buffer.from(text)

export const sampleFormats: SampleFormat[] = [
  {
    name: 'Standard Webhooks',
    header: 'webhook-signature',
    signedHeaders: ['webhook-id', 'webhook-timestamp'],
    sign: ({ secret: key = secret, body: bytes = body, time = seconds, id = 'msg_1' } = {}) => ({
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${hmac(Buffer.from(key.replace('whsec_', ''), 'base64'), `${id}.${time}.`, bytes).toString('base64')}`,
    }),
  },
  {
    name: 'GitHub',
    header: 'x-hub-signature-256',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body } = {}) => ({
      'x-hub-signature-256': `sha256=${hmac(whole(key), bytes).toString('hex')}`,
    }),
  },
  {
    name: 'Stripe',
    header: 'stripe-signature',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body, time = seconds } = {}) => ({
      'stripe-signature': `t=${time},v1=${hmac(whole(key), `${time}.`, bytes).toString('hex')}`,
    }),
  },
  {
    name: 'Shopify',
    header: 'x-shopify-hmac-sha256',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body } = {}) => ({
      'x-shopify-hmac-sha256': hmac(whole(key), bytes).toString('base64'),
    }),
  },
  {
    name: 'WooCommerce',
    header: 'x-wc-webhook-signature',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body } = {}) => ({
      'x-wc-webhook-signature': hmac(whole(key), bytes).toString('base64'),
    }),
  },
  {
    name: 'Slack',
    header: 'x-slack-signature',
    signedHeaders: ['x-slack-request-timestamp'],
    sign: ({ secret: key = secret, body: bytes = body, time = seconds } = {}) => ({
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${hmac(whole(key), `v0:${time}:`, bytes).toString('hex')}`,
    }),
  },
  {
    name: 'Svix',
    header: 'svix-signature',
    signedHeaders: ['svix-id', 'svix-timestamp'],
    sign: ({ secret: key = secret, body: bytes = body, time = seconds, id = 'msg_1' } = {}) => ({
      'svix-id': id,
      'svix-timestamp': time,
      'svix-signature': `v1,${hmac(Buffer.from(key.replace('whsec_', ''), 'base64'), `${id}.${time}.`, bytes).toString('base64')}`,
    }),
  },
  ...[
    ['Xero', 'x-xero-signature'],
    ['QuickBooks', 'intuit-signature'],
  ].map(([name, header]) => ({
    name: name!,
    header: header!,
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body }: SigningInput = {}) => ({
      [header!]: hmac(whole(key), bytes).toString('base64'),
    }),
  })),
  {
    name: 'HubSpot',
    header: 'x-hubspot-signature-v3',
    signsUrl: true,
    signedHeaders: ['x-hubspot-request-timestamp'],
    sign: ({ secret: key = secret, body: bytes = body, time = `${seconds}000` } = {}) => ({
      'x-hubspot-request-timestamp': time,
      'x-hubspot-signature-v3': hmac(
        whole(key),
        `POSThttps://hooks.example.com/in/01?from=a:b%20c`,
        bytes,
        time,
      ).toString('base64'),
    }),
  },
  {
    name: 'WebSub',
    header: 'x-hub-signature',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body } = {}) => ({
      'x-hub-signature': `sha256=${hmac(whole(key), bytes).toString('hex')}`,
    }),
  },
  {
    name: 'configured',
    header: 'x-shop-proof',
    signsUrl: true,
    custom: {
      header: 'X-Shop-Proof',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'v9:',
      signedText: '{method} {url}\n{id}|{timestamp}|{body}|end',
      timestampHeader: 'X-Shop-Time',
      idHeader: 'X-Shop-Delivery',
    },
    signedHeaders: ['x-shop-time', 'x-shop-delivery'],
    sign: ({ secret: key = secret, body: bytes = body, time = seconds, id = 'd-1' } = {}) => ({
      'x-shop-time': time,
      'x-shop-delivery': id,
      'x-shop-proof': `v9:${hmac(whole(key), `POST ${url}\n${id}|${time}|`, bytes, '|end').toString('hex')}`,
    }),
  },
  {
    name: 'Patchbay',
    header: 'x-patchbay-signature',
    signedHeaders: [],
    sign: ({ secret: key = secret, body: bytes = body } = {}) => ({
      'x-patchbay-signature': `sha256=${hmac(whole(key), bytes).toString('hex')}`,
    }),
  },
  {
    name: 'secret',
    header: 'x-webhook-secret',
    signedHeaders: [],
    sign: ({ secret: key = secret } = {}) => ({ 'x-webhook-secret': key }),
  },
]
