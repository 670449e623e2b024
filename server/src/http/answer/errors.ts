// Any throw ends here. What the program meant to say reaches the client; what it did not mean to say reaches the log, with the request id in both.
import type { ErrorCode } from '@patchbay/contract'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import pg from 'pg'
import {
  describeFault,
  isAway,
  isBeingMoved,
  isDenied,
  isTransient,
  isUnreachable,
  isUnstorableText,
  isUnstorableValue,
} from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { drainBody } from '../connection/drain-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it was refused, for the log; clients read the status and the sentence. */
    refusal: ErrorCode | undefined
  }
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { spec } = request.routeOptions.config
  const bodyType = spec?.bodyType === 'multipart' ? 'multipart/form-data' : 'application/json'
  const { code, status, message, response } = refusalOf(error, request.id, request.log, bodyType)
  request.refusal = code
  if (status === 429 || status === 503) {
    if (!reply.hasHeader('Retry-After')) reply.header('Retry-After', '1')
  }
  drainBody(request.raw)
  reply.header('Content-Type', 'application/json; charset=utf-8')
  if (spec?.refusalField !== undefined && (status === 400 || status === 413)) {
    reply.code(400).send(JSON.stringify({ [spec.refusalField]: message }))
  } else {
    reply.code(status).send(JSON.stringify({ code: status, errorMessage: message, response }))
  }
}

export type Refused = { code: ErrorCode; status: number; message: string; response: unknown }

/** What the client is told. A fault of our own is told by its request id only, and logged. */
export function refusalOf(
  error: unknown,
  requestId: string,
  log: Pick<FastifyBaseLogger, 'error'>,
  bodyType = 'application/json',
): Refused {
  const known = toAppError(error, bodyType)
  const { code, status, message, response } = known
  if (isDenied(error))
    log.error({ part: 'http', requestId, err: error }, 'The database denies the service a privilege.')
  if (code !== 'internal') return { code, status, message, response }
  log.error({ part: 'http', requestId, err: error }, 'A request failed with an internal error.')
  return {
    code,
    status,
    message: `Internal error. Please contact the operator and quote request id ${requestId}.`,
    response,
  }
}

function toAppError(error: unknown, bodyType: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof pg.DatabaseError) return fromDatabase(error)
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    if (error.code.startsWith('FST_')) return fromFramework(error as FrameworkError, bodyType)
  }
  if (error instanceof SyntaxError && 'statusCode' in error) return malformedJson()
  if (isUnreachable(error)) return notReady(error)
  return new AppError('internal', 'internal', { cause: error })
}

function notReady(cause: unknown): AppError {
  return new AppError('not_ready', describeFault(cause), { cause })
}

function malformedJson(): AppError {
  return new AppError('invalid_request', 'The body is not valid JSON.')
}

type FrameworkError = Error & { code: string; statusCode?: number }

function fromFramework(error: FrameworkError, bodyType: string): AppError {
  if (error.statusCode === 413) return new AppError('body_too_large', 'The body is too large for this operation.')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('invalid_request', `The header Content-Type must be ${bodyType} for this operation.`)
  }
  if (error.code.startsWith('FST_ERR_CTP_')) return malformedJson()
  if (error.code === 'FST_ERR_BAD_URL') return new AppError('invalid_request', 'The URL of the request is not valid.')
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new AppError('invalid_request', `The request is not valid: ${error.message}`)
  return new AppError('internal', 'internal', { cause: error })
}

function fromDatabase(error: pg.DatabaseError): AppError {
  if (isUnstorableText(error)) {
    return new AppError('cannot_be_stored', 'A text in the request contains a character that cannot be stored (NUL).')
  }
  // The net below validation: a value that PostgreSQL cannot hold is the client's, not ours.
  if (isUnstorableValue(error)) {
    return new AppError('cannot_be_stored', 'A value in the request cannot be stored.', { cause: error })
  }
  if (isBeingMoved(error))
    return new AppError('not_ready', 'This organization is being moved to another cell. Try again in a few seconds.')
  // A server that stops, starts, became a standby or denies a right: another try may well succeed.
  if (isAway(error) || isDenied(error)) return notReady(error)
  // A lock that took too long, a deadlock.
  if (isTransient(error))
    return new AppError('not_ready', 'Other requests keep the database busy. Try again.', { cause: error })
  return new AppError('internal', 'internal', { cause: error })
}
