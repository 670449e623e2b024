/**
 * How providers ask whether an address really wants their requests, before they send any. Answers are plain text, so
 * that a browser never takes what a stranger sent as a page of ours; nothing is stored and nothing runs.
 */
import { readHeader } from './headers.ts'
import { sameText, usableSecrets } from './secret.ts'
import { type SignedRequest, verifySignature } from './verify.ts'

export type HandshakeRequest = SignedRequest & {
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type Handshake =
  | { readonly kind: 'answer'; readonly contentType: 'text/plain; charset=utf-8'; readonly body: string }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not a handshake: an ordinary request, which must prove itself. */
  | { readonly kind: 'none' }

/** Longer than any provider's token; what is longer is not a handshake. */
const tokenCharactersMax = 4096
const challengeBytesMax = 16_384
const challengeSign = Buffer.from('url_verification')

export function readHandshake(request: HandshakeRequest): Handshake {
  const validationToken = readToken(request.query['validationToken'])
  // Microsoft Graph asks with POST and signs nothing, so anybody may get their own words back.
  if (validationToken !== undefined) return answer(validationToken)
  if (request.method === 'GET') return readMetaHandshake(request)
  if (isWooCommercePing(request)) return answer('')
  if (request.method === 'POST') return readSlackHandshake(request)
  return { kind: 'none' }
}

const pingBytesMax = 40

/** WooCommerce asks once, when somebody saves the webhook, with nothing but its own number, and signs nothing. */
function isWooCommercePing({ method, headers, rawBody }: HandshakeRequest): boolean {
  if (method !== 'POST' || rawBody.length > pingBytesMax || headers['x-wc-webhook-signature'] !== undefined)
    return false
  const isForm = (readHeader(headers, 'content-type') ?? '').startsWith('application/x-www-form-urlencoded')
  return isForm && /^webhook_id=\d+$/.test(Buffer.from(rawBody).toString('latin1'))
}

/** Meta proves itself with a token that its user chose: here, the webhook's secret. */
function readMetaHandshake({ query, secrets }: HandshakeRequest): Handshake {
  const challenge = readToken(query['hub.challenge'])
  if (challenge === undefined || query['hub.mode'] !== 'subscribe') return { kind: 'none' }
  const given = query['hub.verify_token']
  const matches = usableSecrets(secrets).map((secret) => typeof given === 'string' && sameText(given, secret))
  return matches.includes(true)
    ? answer(challenge)
    : { kind: 'refused', reason: 'The hub.verify_token is not the secret of this webhook.' }
}

/** Slack signs its challenge; one that comes without a signature is answered too, a wrong signature never is. */
function readSlackHandshake(request: HandshakeRequest): Handshake {
  const challenge = readSlackChallenge(request.rawBody)
  if (challenge === undefined) return { kind: 'none' }
  if (readHeader(request.headers, 'x-slack-signature') === undefined) return answer(challenge)
  const verdict = verifySignature(request)
  return verdict.ok ? answer(challenge) : { kind: 'refused', reason: verdict.reason }
}

function readSlackChallenge(rawBody: Uint8Array): string | undefined {
  // Every request passes here, so the cheap signs come before parsing.
  if (rawBody.length > challengeBytesMax) return undefined
  const bytes = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  if (!bytes.includes(challengeSign)) return undefined
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof body !== 'object' || body === null) return undefined
    const { type, challenge } = body as Record<string, unknown>
    return type === 'url_verification' ? readToken(challenge) : undefined
  } catch {
    return undefined
  }
}

function readToken(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= tokenCharactersMax ? value : undefined
}

function answer(body: string): Handshake {
  return { kind: 'answer', contentType: 'text/plain; charset=utf-8', body }
}
