// Where other systems send requests to: one same 404 for whatever takes none, then the address, then proof over the raw bytes.
import { type ErrorCode, errorCatalogue, isGuid } from '@patchbay/contract'
import type { RawAnswer, RawHead, RawReader, RawRoute } from '../../http/index.ts'
import { AppError, invalid, notFound } from '../../lib/app-error.ts'
import { withoutCell } from '../../lib/cell.ts'
import { toUtf8 } from '../../lib/charset.ts'
import { readHandshake } from '../signature/handshake.ts'
import { readHeader } from '../signature/headers.ts'
import { deliveryIdOf, type Proof, type SignedRequest, verifySignature } from '../signature/verify.ts'
import { type AwaitDeps, awaitAnswer, tellAccepted } from './await-answer.ts'
import type { Accepted, Intake } from './intake.ts'
import type { KnownWebhook, KnownWebhooks } from './known-webhooks.ts'
import type { RefusalLog } from './refusal-log.ts'
import { depthMax, isDeepJson, mayBeDeep, readContentEncoding, unpackBody } from './request-body.ts'

const bodyBytesMax = 5 * 1024 * 1024
/** So often a request is looked at again because its webhook was changed meanwhile. */
const attemptsMax = 100

type Deps = {
  known: KnownWebhooks
  intake: Intake
  refusals: Pick<RefusalLog, 'note'>
  /** The public address of webhooks, without a slash at its end. */
  webhookUrl(): string
  awaiting: AwaitDeps
}

/** A body as the sender meant it, unpacked, and what proved it. */
type Proven = { body: Buffer; proof: Proof }

export function webhookEndpoint(deps: Deps): RawRoute {
  return {
    methods: ['GET', 'POST', 'PUT', 'PATCH'],
    path: '/webhook/:id',
    bodyBytesMax,
    admit: (head) => {
      const webhook = deps.known.recall(withoutCell(head.step))
      const isAdmitted = webhook && (webhook.isAllowed === undefined || webhook.isAllowed(head.address))
      return isAdmitted
        ? readerFor(deps, head, webhook, (body) => answerAtOnce(deps, head, webhook, body))
        : admit(deps, head)
    },
  }
}

async function admit(deps: Deps, head: RawHead): Promise<RawReader> {
  const webhook = await findOpen(deps.known, head)
  try {
    requireAddress(webhook, head)
  } catch (error) {
    noteRefusal(deps, head, webhook, error as AppError)
    throw error
  }
  return readerFor(deps, head, webhook, (body) => answer(deps, head, webhook, body))
}

function readerFor(deps: Deps, head: RawHead, webhook: KnownWebhook, read: RawReader['read']): RawReader {
  const { accountId, workflowId } = webhook
  return { accountId, workflowId, read, onRefused: (refused) => noteRefusal(deps, head, webhook, refused) }
}

/** What the sender can do something about. Sentences that repeat the address would be counted one by one. */
const notedCodes: Partial<Record<string, string | null>> = {
  webhook_not_proven: null,
  webhook_address_not_allowed: 'The address is not allowed by the ipRestriction of this webhook.',
  body_too_large: null,
  invalid_request: null,
}

function noteRefusal(
  { refusals }: Deps,
  head: RawHead,
  webhook: KnownWebhook,
  { code, message }: { code: string; message: string },
): void {
  const reason = notedCodes[code]
  if (reason === undefined) return
  refusals.note(webhook, {
    statusCode: errorCatalogue[code as ErrorCode],
    reason: reason ?? message,
    ipAddress: head.address,
    headerNames: Object.keys(head.headers).sort(),
  })
}

/** One that takes requests, and from this address. */
async function findWebhook(known: KnownWebhooks, head: RawHead): Promise<KnownWebhook> {
  const webhook = await findOpen(known, head)
  requireAddress(webhook, head)
  return webhook
}

async function findOpen(known: KnownWebhooks, head: RawHead): Promise<KnownWebhook> {
  const id = withoutCell(head.step)
  const webhook = isGuid(id) ? await known.find(id.toLowerCase()) : undefined
  if (!webhook) throw notFound('webhook')
  return webhook
}

function requireAddress(webhook: KnownWebhook, head: RawHead): void {
  if (webhook.isAllowed && !webhook.isAllowed(head.address))
    throw new AppError(
      'webhook_address_not_allowed',
      `Requests from ${head.address} are not allowed by the ipRestriction of this webhook.`,
    )
}

/**
 * For what comes most: a plain request that proves itself by what is remembered of its webhook, which is checked again as it is stored.
 * Anything else is looked at anew.
 */
function answerAtOnce(deps: Deps, head: RawHead, webhook: KnownWebhook, rawBody: Buffer): Promise<RawAnswer> {
  const { method, headers } = head
  const signed = signedRequest(deps, head, webhook, rawBody)
  const isPlain = method !== 'GET' && headers['content-encoding'] === undefined
  if (!isPlain || readHandshake(signed).kind !== 'none') return answerAnew(deps, head, rawBody)
  const verdict = verifySignature(signed)
  if (!verdict.ok || mayBeDeep(toUtf8(rawBody, headers['content-type']))) return answerAnew(deps, head, rawBody)
  return accept(deps.intake, head, webhook, { body: rawBody, proof: verdict }).then((accepted) =>
    accepted ? answerAccepted(deps, webhook, accepted) : answerAnew(deps, head, rawBody),
  )
}

async function answerAnew(deps: Deps, head: RawHead, rawBody: Buffer): Promise<RawAnswer> {
  return answer(deps, head, await findWebhook(deps.known, head), rawBody)
}

async function answer(deps: Deps, head: RawHead, webhook: KnownWebhook, rawBody: Buffer): Promise<RawAnswer> {
  let current = webhook
  for (let attempt = 1; ; attempt++) {
    const taken = await take(deps, head, current, rawBody)
    if (taken) return taken
    if (attempt >= attemptsMax)
      throw new AppError('not_ready', 'The settings of this webhook are being changed. Try again in a moment.')
    deps.known.forget(current.workflowId)
    current = await findWebhook(deps.known, head)
  }
}

/** Undefined when the webhook was changed meanwhile. */
async function take(deps: Deps, head: RawHead, webhook: KnownWebhook, rawBody: Buffer): Promise<RawAnswer | undefined> {
  const signed = signedRequest(deps, head, webhook, rawBody)
  const handshake = readHandshake(signed)
  if (handshake.kind === 'answer') return { status: 200, contentType: handshake.contentType, body: handshake.body }
  if (handshake.kind === 'refused') throw new AppError('webhook_not_proven', handshake.reason)
  if (head.method === 'GET') throw new AppError('method_not_allowed', 'Send requests with POST, PUT or PATCH.')
  const proven = await proveAndUnpack(signed)
  if (isDeepJson(toUtf8(proven.body, head.headers['content-type'])))
    throw invalid(`The body is nested more than ${depthMax} levels deep.`)
  const accepted = await accept(deps.intake, head, webhook, proven)
  return accepted && answerAccepted(deps, webhook, accepted)
}

function signedRequest({ webhookUrl }: Deps, head: RawHead, webhook: KnownWebhook, rawBody: Buffer) {
  const { method, headers, query } = head
  const now = new Date()
  const url = () => `${webhookUrl()}/${head.step}${head.queryText === '' ? '' : `?${head.queryText}`}`
  return { method, query, headers, url, rawBody, secrets: webhook.secrets(now), now, custom: webhook.custom }
}

function accept(
  intake: Intake,
  { method, headers, query }: RawHead,
  webhook: KnownWebhook,
  { body, proof }: Proven,
): Promise<Accepted | undefined> {
  return intake.accept(webhook, { method, headers, query, body }, deliveryIdOf(proof, headers))
}

/** Senders that pack a body sign either what they pack or what they send; both prove that they know the secret. */
async function proveAndUnpack(signed: SignedRequest & { rawBody: Buffer }): Promise<Proven> {
  const { rawBody } = signed
  const verdict = verifySignature(signed)
  const encoding = readContentEncoding(readHeader(signed.headers, 'content-encoding'))
  if (encoding === undefined) {
    if (!verdict.ok) throw new AppError('webhook_not_proven', verdict.reason)
    return { body: rawBody, proof: verdict }
  }
  const unpacked = await unpackBody(rawBody, encoding, bodyBytesMax)
  const second = verdict.ok ? verdict : verifySignature({ ...signed, rawBody: unpacked })
  if (!second.ok) throw new AppError('webhook_not_proven', second.reason)
  return { body: unpacked, proof: second }
}

function answerAccepted({ awaiting }: Deps, webhook: KnownWebhook, accepted: Accepted): RawAnswer | Promise<RawAnswer> {
  if (webhook.respondWith === 'accepted' || webhook.isInDevelopment) return tellAccepted(200, accepted.webhookId)
  return awaitAnswer(awaiting, webhook, accepted)
}
