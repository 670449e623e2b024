// What an operation may answer: its success, and every refusal with the reasons for it.
import { type ErrorCode, errorCatalogue, type OperationSpec, refusalReasons, refusalsOf } from '@patchbay/contract'

const refusals: Record<number, { name: string; description: string; message: string }> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid. errorMessage names the field.',
    message: 'The field name is required.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The keys or the session are missing or not valid, or may not be used from this address.',
    message: 'The header SecretKey is missing. Every request needs both Consumer and SecretKey.',
  },
  403: {
    name: 'Forbidden',
    description: 'Your role is too low, or you may not act for this account.',
    message: 'This needs the role Manager or higher. Your role is User.',
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist, or you may not see it.',
    message: 'The workflow was not found, or you have no access to it.',
  },
  409: {
    name: 'Conflict',
    description: 'Somebody else changed it first, or is changing it now. Nothing was saved.',
    message:
      'The workflow was changed by anna@example.com at 2026-11-02T08:15:00.000Z: its newest revision is 5, not 4. Nothing was saved. Read it again and repeat your change.',
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is too large.',
    message: 'The body is too large for this operation.',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests. Wait as long as Retry-After says.',
    message: 'Rate limit exceeded for this key pair. Wait a second and try again.',
  },
  500: {
    name: 'InternalError',
    description: 'Internal error. errorMessage holds the request id for the operator.',
    message: 'Internal error. Please contact the operator and quote request id 0198c0de-0000-7000-8000-000000000009.',
  },
  503: {
    name: 'NotReady',
    description:
      'The service is starting, stopping, overloaded, low on disk space or without its database. Try again after Retry-After.',
    message: 'The service is busy. Try again in a moment.',
  },
}

/** All statuses an operation may answer with, each with words. */
export function answerCodes(spec: OperationSpec): Record<string, string> {
  const codes: Record<string, string> = { 200: 'Success.' }
  if (spec.acceptedWhen) codes[202] = spec.acceptedWhen
  if (spec.answers[204] === null) codes[204] = 'There is nothing to return.'
  for (const status of refusalStatuses(spec)) {
    const reasons = reasonsFor(spec, status)
    codes[status] = [refusals[status]?.description ?? 'Refused.', ...reasons].join(' ')
  }
  return codes
}

export function refusalStatuses(spec: OperationSpec): number[] {
  // The proxy in front of cells takes this one and asks the other cell: clients do not see it.
  const codes = refusalsOf(spec).filter((code) => code !== 'in_another_cell')
  return [...new Set(codes.map((code) => statusOf(spec, code)))].sort((a, b) => a - b)
}

function statusOf(spec: OperationSpec, code: ErrorCode): number {
  const has413 = spec.bodyType !== 'multipart' && spec.refusalField === undefined
  return code === 'body_too_large' && !has413 ? 400 : errorCatalogue[code]
}

/** Codes whose reason every operation with their status shares, so that it need not be said again. */
const general: readonly ErrorCode[] = [
  'not_found',
  'too_many_requests',
  'workflow_changed',
  'role_too_low',
  'session_invalid',
]

/** Why this operation in particular refuses with a status. */
function reasonsFor(spec: OperationSpec, status: number): string[] {
  const codes = (spec.refuses ?? []).filter((code) => errorCatalogue[code] === status && !general.includes(code))
  return codes.map((code) => refusalReasons[code])
}

const retried = [429, 503]

/** Refusals that are the same for every operation, by name. */
export function sharedResponses(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(refusals).map(([status, { name, description, message }]) => [
      name,
      {
        description,
        headers: answerHeadersOf(Number(status)),
        content: { 'application/json': errorContent(Number(status), message) },
      },
    ]),
  )
}

/** The refusal of an operation with this status: the shared one, unless it has reasons or a body of its own. */
export function refusalOf(spec: OperationSpec, status: number): object {
  const shared = refusals[status]
  if (!shared) throw new Error(`There are no words for refusals with status ${status}.`)
  const hasOwnBody = status === 400 && spec.refusalField !== undefined
  if (!hasOwnBody && reasonsFor(spec, status).length === 0) return { $ref: `#/components/responses/${shared.name}` }
  const content = hasOwnBody
    ? oneFieldContent(spec.refusalField as string, shared.message)
    : errorContent(status, shared.message)
  return {
    description: answerCodes(spec)[status],
    headers: answerHeadersOf(status),
    content: { 'application/json': content },
  }
}

function errorContent(status: number, message: string): object {
  return {
    schema: { $ref: '#/components/schemas/Error' },
    example: { code: status, errorMessage: message, response: null },
  }
}

function oneFieldContent(field: string, message: string): object {
  return {
    schema: {
      type: 'object',
      required: [field],
      properties: { [field]: { type: 'string', description: 'A sentence that says what is wrong.' } },
    },
    example: { [field]: message },
  }
}

const ref = (name: string) => ({ $ref: `#/components/headers/${name}` })

export function answerHeadersOf(status: number): Record<string, object> {
  return {
    'X-Request-Id': ref('X-Request-Id'),
    ...(retried.includes(status) ? { 'Retry-After': ref('Retry-After') } : {}),
  }
}

export const rateLimitHeaders = {
  'RateLimit-Limit': ref('RateLimit-Limit'),
  'RateLimit-Remaining': ref('RateLimit-Remaining'),
  'RateLimit-Reset': ref('RateLimit-Reset'),
}

const header = (description: string, schema: object) => ({ description, schema })

export const sharedHeaders = {
  'X-Request-Id': header('Identifies this request in the log of the service.', { type: 'string', format: 'uuid' }),
  'Retry-After': header('Seconds to wait before retrying.', { type: 'integer' }),
  'RateLimit-Limit': header('Requests per second that this key pair may send.', { type: 'integer' }),
  'RateLimit-Remaining': header('How many of them are left.', { type: 'integer' }),
  'RateLimit-Reset': header('Seconds until there are more.', { type: 'integer' }),
}
