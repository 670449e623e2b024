// HTTP: a table of operations and a short list of pages become routes. Nothing here knows what an operation is about.
import forms from '@fastify/formbody'
import { noContent, type OperationSpec } from '@patchbay/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify'
import { type Principal, requireRank } from '../access/index.ts'
import { addressMatcher } from '../lib/address-list.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { type Authenticators, authenticate } from './authenticate.ts'
import { refuseBrokenHttp } from './broken-http.ts'
import { sendError } from './errors.ts'
import { readForm } from './form-body.ts'
import type { Exchange, Page } from './handler.ts'
import type { Metrics } from './metrics.ts'
import { type RateLimiter, tooManyRequests } from './rate-limit.ts'
import { addRawRoutes, type RawRoute } from './raw-route.ts'
import { sendFile } from './send-file.ts'
import { validator } from './validation.ts'

export type HttpOptions = {
  operations: Record<string, OperationSpec>
  // Each handler is typed by its operation where it is written; here all are alike.
  handlers: Record<string, (call: never) => unknown>
  pages: Page[]
  rawRoutes?: RawRoute[]
  authenticators: Authenticators
  rateLimiter: RateLimiter
  metrics: Metrics
  logger: FastifyBaseLogger
  trustedProxies: readonly string[]
  /** How long a form that is being sent may be silent. */
  formIdleMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    exchange: Exchange | undefined
    startedAt: number
  }
  interface FastifyContextConfig {
    spec?: OperationSpec
  }
}

const bodyBytesMax = 8 * 1024 * 1024
const formIdleMs = 60_000
/** More requests than this at once are answered 503 before any work is done for them. */
const requestsAtOnceMax = 2000

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own per request would cost more than the request; lines name the request id themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length > 0 ? trustBy(options.trustedProxies) : false,
    bodyLimit: bodyBytesMax,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Long uploads must outlive Node's default of five minutes; idle connections are still cut.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: refuseBrokenHttp,
  })
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) =>
    sendError(
      new AppError('route_not_found', `There is nothing at ${request.method} ${request.url.split('?')[0]}.`),
      request,
      reply,
    ),
  )
  await app.register(forms)
  parseJsonBodies(app)
  addGeneralHooks(app, options)
  const specs = Object.values(options.operations)
  for (const spec of specs) if (spec.bodyType === undefined) addOperation(app, options, spec)
  await app.register(async (forForms) => {
    parseNoBodies(forForms)
    for (const spec of specs) if (spec.bodyType === 'multipart') addOperation(forForms, options, spec)
  })
  for (const page of options.pages) addPage(app, page)
  await app.register(async (forBytes) => addRawRoutes(forBytes, options.rawRoutes ?? []))
  return app
}

function trustBy(proxies: readonly string[]): (address: string) => boolean {
  const isProxy = addressMatcher(proxies)
  return (address) => isProxy(address)
}

function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // An empty body is no body: operations whose fields are all optional accept it.
    if (body === '') done(null, undefined)
    else parse(request, body as string, done)
  })
}

/** Forms are not read before their handler asks for them, and nothing else is accepted in their place. */
function parseNoBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined))
}

function addGeneralHooks(app: FastifyInstance, options: HttpOptions): void {
  let atOnce = 0
  // 'close' comes for every request, also for one whose client went away; the framework's onResponse does not.
  const release = () => {
    atOnce--
  }
  app.decorateRequest('principal', undefined)
  app.decorateRequest('exchange', undefined)
  app.decorateRequest('startedAt', 0)
  app.addHook('onRequest', (request, reply, done) => {
    atOnce++
    reply.raw.once('close', release)
    request.startedAt = performance.now()
    reply.header('X-Request-Id', request.id)
    done(
      atOnce > requestsAtOnceMax ? new AppError('not_ready', 'The service is busy. Try again in a moment.') : undefined,
    )
  })
  app.addHook('onResponse', (request, reply, done) => {
    const ms = performance.now() - request.startedAt
    const route = request.routeOptions.url ?? 'none'
    options.metrics.observeRequest(`${request.method} ${route}`, reply.statusCode, ms / 1000)
    // The address is logged by its route: paths and queries may carry codes and tokens.
    const line = {
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(ms * 10) / 10,
      accountId: request.principal?.caller.id,
    }
    if (reply.statusCode >= 500) request.log.error(line, 'answered')
    else if (reply.statusCode >= 400) request.log.info(line, 'refused')
    else request.log.debug(line, 'answered')
    done()
  })
}

function addOperation(app: FastifyInstance, options: HttpOptions, spec: OperationSpec): void {
  const handler = options.handlers[spec.name]
  if (!handler) throw new Error(`The operation ${spec.name} has no handler.`)
  const checkBody = spec.body && validator(spec.body, 'body')
  const isForm = spec.bodyType === 'multipart'
  const checkQuery = spec.query && validator(spec.query, 'query')
  const checkParams = spec.params && validator(spec.params, 'params')
  const changesOnGet = spec.method === 'GET' && spec.changesState === true
  const schema = spec.answers[200] ? { response: { 200: spec.answers[200] } } : {}

  app.route({
    method: spec.method,
    url: spec.path,
    exposeHeadRoute: spec.method === 'GET' && !changesOnGet,
    schema,
    config: { spec },
    bodyLimit: spec.bodyBytesMax ?? bodyBytesMax,
    onRequest: async (request, reply) => {
      if (spec.access === 'public') return
      const principal = await authenticate(options.authenticators, exchangeOf(request, reply))
      request.principal = principal
      const rate = options.rateLimiter(principal.credential.id)
      reply
        .header('RateLimit-Limit', rate.limit)
        .header('RateLimit-Remaining', rate.remaining)
        .header('RateLimit-Reset', rate.resetSeconds)
      if (rate.refused) throw tooManyRequests()
      if (spec.lowestRole) requireRank(principal, spec.lowestRole)
    },
    handler: async (request, reply) => {
      const answer = await handler({
        params: checkParams && pathValues(spec, checkParams, request.params),
        query: checkQuery?.(request.query),
        body: isForm ? readForm(request.raw, options.formIdleMs ?? formIdleMs) : checkBody?.(request.body),
        principal: request.principal,
        exchange: exchangeOf(request, reply),
      } as never)
      if (answer === noContent) return reply.code(204).send()
      if (spec.answers[200] === null) return reply.code(200).send()
      // Scalars are JSON too, so the text is made here; the framework would send a string as plain text.
      return reply.header('Content-Type', 'application/json; charset=utf-8').send(reply.serialize(answer))
    },
  })
  if (changesOnGet) refuseHead(app, spec)
}

/** HEAD would run the handler of its GET: where that changes state it must not. */
function refuseHead(app: FastifyInstance, spec: OperationSpec): void {
  app.route({
    method: 'HEAD' as HTTPMethods,
    url: spec.path,
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

function addPage(app: FastifyInstance, page: Page): void {
  app.route({
    method: page.method,
    url: page.path,
    handler: async (request, reply) => {
      const answer = await page.render({
        query: texts(request.query),
        form: texts(request.body),
        exchange: exchangeOf(request, reply),
      })
      reply
        .header(
          'Content-Security-Policy',
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        )
        .header('Referrer-Policy', 'no-referrer')
        .header('X-Content-Type-Options', 'nosniff')
        .header('Cache-Control', 'no-store')
      if ('file' in answer) return sendFile(reply, answer.file)
      if ('redirectTo' in answer) return reply.redirect(answer.redirectTo, 303)
      return reply.code(answer.status).type('text/html; charset=utf-8').send(answer.html)
    },
  })
}

/** Forms and queries as plain texts: a value that was sent twice counts once. */
function texts(values: unknown): Record<string, string> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]))
}

// A class, because one is made for every request: methods on a prototype cost nothing, closures do.
class RequestExchange implements Exchange {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  get requestId(): string {
    return this.#request.id
  }

  get address(): string {
    return this.#request.ip
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  cookie(name: string): string | undefined {
    return readCookie(this.#request.headers.cookie, name)
  }

  setHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }
}

/** The value of one cookie. Ours hold nothing that needs decoding. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const found = header?.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim()
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  request.exchange ??= new RequestExchange(request, reply)
  return request.exchange
}
