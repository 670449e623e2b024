// HTTP: a table of operations, a short list of pages and a shorter one of raw routes become one server. Nothing here knows what they are about.
import { createServer } from 'node:http'
import type { OperationSpec } from '@patchbay/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type preHandlerHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import { newId } from '../lib/id.ts'
import type { Metrics } from '../metrics/index.ts'
import { heldWebhookBytes } from './admission/body-bytes.ts'
import { BodyRoom } from './admission/body-room.ts'
import { OpenAnswers } from './admission/open-answers.ts'
import { type Slot, Slots } from './admission/slots.ts'
import { type ElsewhereLookup, sendOnElsewhere } from './answer/elsewhere.ts'
import { sendError } from './answer/errors.ts'
import { logAnswer } from './answer/log-answer.ts'
import { type ClientAddress, clientAddressReader } from './connection/client-address.ts'
import { refuseBrokenHttp } from './connection/malformed-http.ts'
import { closeUnusedAtEnd } from './connection/unused-connections.ts'
import type { Page } from './handler.ts'
import { parseJsonBodies } from './json/json-body.ts'
import { addPages } from './pages/pages.ts'
import { refuseUnknownRoutes } from './routes/known-paths.ts'
import { addOperation, bodyBytesMax, type OperationOptions } from './routes/operation-route.ts'
import { type RawRoute, serveRawRoutes } from './routes/raw-route.ts'

export type HttpOptions = OperationOptions & {
  operations: Record<string, OperationSpec>
  pages: Page[]
  rawRoutes?: RawRoute[]
  metrics: Metrics
  /** Where others take some of them too. */
  slots?: Slots
  logger: Logger
  trustedProxies: readonly string[]
  /** Where an installation has several cells. */
  elsewhere?: ElsewhereLookup | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    answers: OpenAnswers
    slots: Slots
    /** A hook for every route but those that are answered however busy the service is. */
    takeSlot: preHandlerHookHandler
  }
  interface FastifyRequest {
    startedAt: number
    /** Of the request itself, until it is answered or has taken one for what goes on. */
    slot: Slot | undefined
    /** Method and path of the route, where it is known ahead: asking the framework for it makes an object for every request. */
    routeLabel: string | undefined
  }
}

/** How long a client may take to send its headers, and the keep-alive of an idle connection. */
const headersMs = 20_000
const keepAliveMs = 72_000

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const clientAddress = clientAddressReader(options.trustedProxies)
  const slots = options.slots ?? new Slots()
  const answers = new OpenAnswers()
  const state = { isClosing: false }
  const serveRaw = serveRawRoutes({
    routes: options.rawRoutes ?? [],
    metrics: options.metrics,
    logger: options.logger,
    clientAddress,
    slots,
    elsewhere: options.elsewhere,
    isClosing: () => state.isClosing,
  })
  const app = Fastify({
    // Uploads may take hours, so the server has no deadline for whole requests: each kind of body has its own.
    serverFactory: (serve) =>
      createServer(
        { headersTimeout: headersMs, keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
        (request, response) => {
          if (answers.open(request, response)) serveRaw(request, response) || serve(request, response)
        },
      ),
    loggerInstance: options.logger.child({ part: 'http' }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own per request would cost more than the request; lines name the request id themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: () => newId(),
    requestIdHeader: false,
    bodyLimit: bodyBytesMax,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: refuseBrokenHttp,
  })
  app.setErrorHandler(sendError)
  refuseUnknownRoutes(app, options.rawRoutes ?? [])
  decorate(app, { clientAddress, answers, slots, bodyRoom: new BodyRoom() })
  watchHeld(app, options.metrics)
  closeUnusedAtEnd(app)
  app.addHook('preClose', async () => {
    state.isClosing = true
  })
  nameAndMeasure(app, options)
  if (options.elsewhere) sendOnElsewhere(app, options.elsewhere)
  app.decorate('takeSlot', slotTaker(clientAddress, slots, answers))
  app.addHook('onClose', async () => answers[Symbol.dispose]())
  const specs = Object.values(options.operations)
  // Each kind of body is read in a context of its own: what one accepts, the others do not.
  const serveJson: FastifyPluginAsync = async (context) => {
    context.addHook('preHandler', app.takeSlot)
    parseJsonBodies(context, bodyBytesMax)
    for (const spec of specs) if (spec.bodyType === undefined) addOperation(context, options, spec)
  }
  const serveForms: FastifyPluginAsync = async (context) => {
    context.addHook('preHandler', app.takeSlot)
    parseNoBodies(context)
    for (const spec of specs) if (spec.bodyType === 'multipart') addOperation(context, options, spec)
  }
  const servePages: FastifyPluginAsync = async (context) => {
    context.addHook('preHandler', app.takeSlot)
    await addPages(context, options.pages)
  }
  for (const serve of [serveJson, serveForms, servePages]) await app.register(serve)
  return app
}

type Decorations = Pick<FastifyInstance, 'clientAddress' | 'answers' | 'slots' | 'bodyRoom'>

function decorate(app: FastifyInstance, { clientAddress, answers, slots, bodyRoom }: Decorations): void {
  app.decorate('clientAddress', clientAddress)
  app.decorate('answers', answers)
  app.decorate('slots', slots)
  app.decorate('bodyRoom', bodyRoom)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('exchange', undefined)
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('slot', undefined)
  app.decorateRequest('routeLabel', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('bodyDeadline', undefined)
}

function watchHeld({ slots, bodyRoom, answers }: FastifyInstance, metrics: Metrics): void {
  metrics.watchRequests({
    slots: () => slots.inUse(),
    bytes: () => ({ requestBody: bodyRoom.heldBytes, webhookBody: heldWebhookBytes(), unread: answers.unreadBytes }),
  })
}

/** Forms are not read before their handler asks for them, and nothing else is accepted in their place. */
function parseNoBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined))
}

function nameAndMeasure(app: FastifyInstance, options: { metrics: Metrics; logger: Logger }): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    reply.header('X-Request-Id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const ms = performance.now() - request.startedAt
    const { method } = request
    const label = request.routeLabel ?? `${method} ${request.routeOptions.url ?? 'none'}`
    const status = reply.statusCode
    options.metrics.observeRequest(label, status, ms / 1000)
    const route = label.slice(method.length + 1)
    logAnswer(options.logger, {
      requestId: request.id,
      method,
      route,
      status,
      ms,
      refusal: request.refusal,
      accountId: request.principal?.caller.id,
    })
    done()
  })
}

/** A request has a slot from the moment its handler starts: one whose body is still on its way costs nothing but its connection. */
function slotTaker(clientAddress: ClientAddress, slots: Slots, answers: OpenAnswers): preHandlerHookHandler {
  return (request, reply, done) => {
    try {
      const account = request.principal?.account
      const slot = account
        ? slots.forAccount('request', { accountId: account.id, organizationId: account.organizationId })
        : slots.forStranger(clientAddress(request.raw))
      request.slot = slot
      // Until the answer is taken, also by a client that goes away; the framework's onResponse does not come for those.
      answers.onClose(reply.raw, () => slot.release())
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
