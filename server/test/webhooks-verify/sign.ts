import { createHash } from 'node:crypto'

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
