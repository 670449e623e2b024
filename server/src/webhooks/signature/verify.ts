import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  isAnnounced,
  type SignatureClaim,
  type SignatureFormat,
  type SignedParts,
  signatureFormats,
} from './formats.ts'
import { type HeaderValues, readDeliveryId, readHeader } from './headers.ts'
import { sameText, usableSecrets } from './secret.ts'

/** Names of headers are in lower case, as Node gives them. */
export type SignedRequest = SignedParts & {
  readonly rawBody: Uint8Array
  /** The secret in force, and during the overlap after a change the one before it. */
  readonly secrets: readonly (string | null | undefined)[]
  readonly now: Date
  /** The format that the webhook's settings describe; it goes before those we know. */
  readonly custom?: SignatureFormat | undefined
}

export type Proof = {
  /** How the sender proved itself. */
  readonly format: string
  /** The sender's own id of the delivery, as far as the signature covers it. */
  readonly signedId: string | undefined
  /** The header of the settings that holds one which is not signed. */
  readonly unsignedIdHeader: string | undefined
  /** The signature, where it covers the time and so belongs to one delivery only: whoever sends it again sends the same delivery. */
  readonly delivery: string | undefined
}

export type Verdict = ({ readonly ok: true } & Proof) | { readonly ok: false; readonly reason: string }

const secretHeader = 'x-webhook-secret'
const toleranceSeconds = 300

/**
 * Whether a webhook request proves that its sender knows the secret. The first known header decides and a wrong one
 * is a refusal, whatever the others say. The reason is for the sender, who may be setting things up: it says what is
 * wrong with the form, never anything about the secret.
 */
export function verifySignature(request: SignedRequest): Verdict {
  const secrets = usableSecrets(request.secrets)
  if (secrets.length === 0) return refused('This webhook has no secret, so requests cannot be verified.')

  const { custom } = request
  if (custom && isAnnounced(custom, request.headers)) return verifyFormat(custom, request, secrets)
  const format = signatureFormats.find((known) => isAnnounced(known, request.headers))
  if (format) return verifyFormat(format, request, secrets)

  const given = readHeader(request.headers, secretHeader)
  if (given === undefined)
    return refused('The request has no known signature header. Sign it, or send the secret in X-Webhook-Secret.')
  // Every secret is compared, so that the time does not tell which of them was right.
  const matches = secrets.map((secret) => sameText(given, secret))
  return matches.includes(true)
    ? { ok: true, format: 'secret', signedId: undefined, unsignedIdHeader: undefined, delivery: undefined }
    : refused('The X-Webhook-Secret header is wrong.')
}

function verifyFormat(format: SignatureFormat, request: SignedRequest, secrets: readonly string[]): Verdict {
  const claim = format.read(readHeader(request.headers, format.header)!, request)
  if (!claim) return refused(`The ${format.name} signature headers are incomplete or malformed.`)
  if (claim.timestamp !== null) {
    const ageSeconds = request.now.getTime() / 1000 - claim.timestamp
    if (Math.abs(ageSeconds) > toleranceSeconds) {
      return refused(`The ${format.name} timestamp is more than 5 minutes off.`)
    }
  } else if (format !== request.custom && request.custom?.isTimed)
    // What was signed together with a time could be sent again at any time as the body of a format that signs none.
    return refused(`This webhook requires a signed timestamp, which a ${format.name} signature does not have.`)
  else if (looksTimed(request.rawBody))
    return refused(
      `The ${format.name} signature has no timestamp, so a body that begins like a signed timestamp is refused.`,
    )
  let signature: string | undefined
  for (const secret of secrets)
    for (const key of format.keys(secret)) signature = findSignature(format, key, claim, request.rawBody) ?? signature
  if (signature === undefined) return refused(`The ${format.name} signature does not match the body and the secret.`)
  const delivery = claim.timestamp === null ? undefined : `signature ${signature}`
  const signedId = claim.signedId ?? (format.idInBody && readIdInBody(request.rawBody, format.idInBody))
  return { ok: true, format: format.name, signedId, unsignedIdHeader: format.unsignedIdHeader, delivery }
}

/** The id by which repeated deliveries of one event are known: one that is signed goes before all others. */
export function deliveryIdOf(proof: Proof, headers: HeaderValues): string | undefined {
  return proof.signedId ?? readDeliveryId(headers, proof.unsignedIdHeader) ?? proof.delivery
}

/** No event is so large; parsing must not take long. */
const eventBytesMax = 256 * 1024

function readIdInBody(rawBody: Uint8Array, name: string): string | undefined {
  if (rawBody.length > eventBytesMax) return undefined
  try {
    const id = (JSON.parse(Buffer.from(rawBody).toString()) as Record<string, unknown> | null)?.[name]
    return typeof id === 'string' && id !== '' && id.length <= 255 ? id : undefined
  } catch {
    return undefined
  }
}

/** Every signature is compared, so that the time does not tell which of them was right. */
function findSignature(
  { algorithm = 'sha256' }: SignatureFormat,
  key: KeyObject,
  claim: SignatureClaim,
  rawBody: Uint8Array,
): string | undefined {
  const hmac = createHmac(algorithm, key)
  if (claim.signedPrefix !== '') hmac.update(claim.signedPrefix)
  hmac.update(rawBody)
  if (claim.signedSuffix) hmac.update(claim.signedSuffix)
  // As text: making a buffer of its own for so few bytes takes longer than the rest.
  const expected = hmac.digest('hex')
  const expectedBytes = expectedSpace.subarray(0, expected.length)
  const givenBytes = givenSpace.subarray(0, expected.length)
  expectedBytes.write(expected, 'latin1')
  let isFound = false
  for (const signature of claim.signatures) {
    givenBytes.write(signature, 'latin1')
    if (signature.length === expected.length && timingSafeEqual(givenBytes, expectedBytes)) isFound = true
  }
  return isFound ? expected : undefined
}

// Filled and compared within one turn.
const expectedSpace = Buffer.alloc(128)
const givenSpace = Buffer.alloc(128)

// What the formats that sign a time put before the body: `1700000000.`, `v0:1700000000:`, `msg_1.1700000000.`, `POSThttps://…`
const timedPrefix = /^(?:v0:\d{1,13}:|(?:[^.]{1,255}\.)?\d{9,13}\.|(?:GET|POST|PUT|PATCH)https?:)/
const timedPrefixBytesMax = 300

/**
 * Formats that sign a time sign it before the body, with the same key. Whoever caught such a request could give both together as the body
 * of a format that signs the body alone, and so send it again at any time: those formats prove no body that begins like that.
 */
function looksTimed(rawBody: Uint8Array): boolean {
  const first = rawBody[0]
  // JSON objects and lists, which are nearly all there is.
  if (first === undefined || first === 0x7b || first === 0x5b) return false
  return timedPrefix.test(Buffer.from(rawBody.subarray(0, timedPrefixBytesMax)).toString('latin1'))
}

function refused(reason: string): Verdict {
  return { ok: false, reason }
}
