// An operation of the table becomes a route: who, how often, which role, what shape; then its handler; then its answer by schema.
import { noContent, type OperationSpec } from '@patchbay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type Principal, requireRank } from '../../access/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { JsonText } from '../../lib/json-text.ts'
import { countedBytesMin, strangerAt } from '../admission/open-answers.ts'
import { type RateLimiter, tooManyRequests } from '../admission/rate-limit.ts'
import { FixedAnswer, sendFixed } from '../answer/fixed-answer.ts'
import { contentDisposition } from '../answer/send-file.ts'
import { type Authenticators, authenticateCaller, type Credential, selectAccount } from '../caller/authenticate.ts'
import { exchangeOf } from '../exchange.ts'
import { readForm } from '../form/form-body.ts'
import { LiveAnswer, PlainText, TextFile } from '../handler.ts'
import { bodyHooks } from '../json/json-body.ts'
import { validator } from '../schema/validation.ts'

export type OperationOptions = {
  // Each handler is typed by its operation where it is written; here all are alike.
  handlers: Record<string, (call: never) => unknown>
  authenticators: Authenticators
  rateLimiter: RateLimiter
  formIdleMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
  }
  interface FastifyContextConfig {
    spec?: OperationSpec
  }
}

export const bodyBytesMax = 8 * 1024 * 1024
/** Strangers have little to say. */
const publicBodyBytesMax = 16 * 1024
const formIdleMs = 60_000

export function addOperation(app: FastifyInstance, options: OperationOptions, spec: OperationSpec): void {
  const handler = options.handlers[spec.name]
  if (!handler) throw new Error(`The operation ${spec.name} has no handler.`)
  const checkBody = spec.body && validator(spec.body, 'body')
  const isForm = spec.bodyType === 'multipart'
  const checkQuery = spec.query && validator(spec.query, 'query')
  const checkParams = spec.params && validator(spec.params, 'params')
  const changesOnGet = spec.method === 'GET' && spec.changesState === true
  const schema = spec.answers[200] ? { response: { 200: spec.answers[200] } } : {}

  const label = `${spec.method} ${spec.path}`
  const admit = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    if (request.method === spec.method) request.routeLabel = label
    const exchange = exchangeOf(request, reply)
    const enter = (principal: Principal) => {
      request.principal = principal
      if (spec.lowestRole) requireRank(principal, spec.lowestRole)
    }
    const select = (credential: Credential) => {
      // Counted before the managed account is looked up: asking for accounts out of reach is limited like anything else.
      limitRate(options.rateLimiter, reply, credential.id)
      return afterwards(selectAccount(options.authenticators, exchange, credential), enter)
    }
    try {
      const entered = afterwards(authenticateCaller(options.authenticators, exchange, spec.needsNoCsrfToken), select)
      if (entered instanceof Promise) entered.then(() => done(), done)
      else done()
    } catch (error) {
      done(error as Error)
    }
  }
  const readBody = (request: FastifyRequest) => {
    const body = checkBody?.(request.body)
    return request.largeText ? { ...(body as object), [spec.largeText as string]: request.largeText } : body
  }
  // Forms have their own limit, and a GET has no body to wait for.
  const limitsBodyTime = spec.method === 'POST' && !isForm
  const bytesMax = spec.bodyBytesMax ?? (spec.access === 'public' ? publicBodyBytesMax : bodyBytesMax)
  const { onRequest: startClock, ...stopClock } = bodyHooks({
    bytesMax,
    handedOn: spec.handedOn,
    largeText: spec.largeText,
  })

  app.route({
    method: spec.method,
    url: spec.path,
    exposeHeadRoute: spec.method === 'GET' && !changesOnGet,
    schema,
    config: { spec },
    bodyLimit: bytesMax,
    ...(limitsBodyTime ? stopClock : {}),
    onRequest: [...(limitsBodyTime ? [startClock] : []), ...(spec.access === 'public' ? [] : [admit])],
    // Most of what is asked most often is answered from memory: then nothing here waits, not even for the next turn of the event loop.
    handler: (request, reply) => {
      const answer = handler({
        params: checkParams && pathValues(spec, checkParams, request.params),
        query: checkQuery?.(request.query),
        body: isForm ? readForm(request.raw, options.formIdleMs ?? formIdleMs) : readBody(request),
        principal: request.principal,
        exchange: exchangeOf(request, reply),
      } as never)
      return answer instanceof Promise
        ? answer.then((value) => respond(spec, reply, value))
        : respond(spec, reply, answer)
    },
  })
  if (changesOnGet) refuseHead(app, spec)
}

/** Goes on with a value now, or when it is there. */
function afterwards<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

function limitRate(limiter: RateLimiter, reply: FastifyReply, key: string): void {
  const rate = limiter(key)
  reply
    .header('RateLimit-Limit', rate.limit)
    .header('RateLimit-Remaining', rate.remaining)
    .header('RateLimit-Reset', rate.resetSeconds)
  if (rate.refused) throw tooManyRequests()
}

function respond(spec: OperationSpec, reply: FastifyReply, answer: unknown): FastifyReply {
  if (answer === noContent) return reply.code(204).send()
  if (answer instanceof LiveAnswer) return goLive(reply, answer)
  if (spec.answers[200] === null) return reply.code(200).send()
  if (answer instanceof FixedAnswer) return sendFixed(reply, answer)
  if (answer instanceof TextFile) {
    reply.header('Content-Type', answer.contentType).header('Content-Disposition', contentDisposition(answer.name))
    if (answer.text.length >= countedBytesMin) holdUntilTaken(reply, answer.text)
    return reply.send(answer.text)
  }
  if (answer instanceof PlainText) {
    if (answer.text.length >= countedBytesMin) holdUntilTaken(reply, answer.text)
    // It may be anything that others wrote: a browser must not take it for a page.
    reply.header('X-Content-Type-Options', 'nosniff')
    return reply.header('Content-Type', 'text/plain; charset=utf-8').send(answer.text)
  }
  // Scalars are JSON too, so the text is made here; the framework would send a string as plain text.
  const text = answer instanceof JsonText ? answer.content : (reply.serialize(answer) as string)
  if (text.length >= countedBytesMin) holdUntilTaken(reply, text)
  return reply.header('Content-Type', 'application/json; charset=utf-8').send(text)
}

function holdUntilTaken(reply: FastifyReply, text: string | Buffer): void {
  const { principal, server, raw } = reply.request
  const reader = principal
    ? { id: principal.account.id, groupId: principal.account.organizationId }
    : strangerAt(server.clientAddress(raw))
  server.answers.hold(reply.raw, text.length, reader)
}

function goLive(reply: FastifyReply, answer: LiveAnswer): FastifyReply {
  if (reply.request.method === 'HEAD') return reply.code(200).send()
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  answer.start(reply.raw)
  return reply
}

/** HEAD would run the handler of its GET: where that changes state it must not. */
function refuseHead(app: FastifyInstance, spec: OperationSpec): void {
  app.route({
    method: 'HEAD' as HTTPMethods,
    url: spec.path,
    config: { refusesMethod: true },
    handler: (_request, reply) => {
      reply.header('Allow', spec.method)
      throw new AppError('method_not_allowed', `${spec.name} is called with GET, not HEAD.`)
    },
  })
}

function pathValues(spec: OperationSpec, check: (value: unknown) => unknown, params: unknown): unknown {
  if (spec.malformedPathIs === 400) return check(params)
  try {
    return check(params)
  } catch {
    throw notFound('resource')
  }
}
