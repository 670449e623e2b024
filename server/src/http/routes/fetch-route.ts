// A route whose answers are made by a web-standard handler, for protocols that bring one. Whoever calls it has keys as for any operation;
// what the handler asks of this service it asks through the operations, in the name of that caller, so that role, rate limit and audit are
// those of the operations themselves.
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import { type Authenticators, authenticateCaller } from '../caller/authenticate.ts'
import { refuseForeignHost } from '../caller/foreign-origin.ts'
import { exchangeOf } from '../exchange.ts'
import { bodyHooks, parseJsonBodies } from '../json/json-body.ts'
import { bodyBytesMax } from './operation-route.ts'

/** Calls an operation of this service without leaving the process. */
export type OwnFetch = typeof fetch

export type FetchRoute = {
  path: string
  methods: ('GET' | 'POST' | 'DELETE')[]
  answer(request: Request, body: unknown, ownFetch: OwnFetch): Promise<Response>
  authenticators: Authenticators
  /** By which address this service is known. */
  baseUrl(): string
}

/** What says who calls, and from where. A session is not passed on: a page of another site could use it. */
const passedOn = ['consumer', 'secretkey', 'managedaccountid', 'x-forwarded-for']

export async function addFetchRoute(app: FastifyInstance, route: FetchRoute): Promise<void> {
  const { path, methods, answer } = route
  const serve: FastifyPluginAsync = async (own) => {
    parseJsonBodies(own, bodyBytesMax)
    const { onRequest: startClock, ...stopClock } = bodyHooks({ bytesMax: bodyBytesMax })
    own.route({
      method: methods,
      url: path,
      exposeHeadRoute: false,
      bodyLimit: bodyBytesMax,
      ...stopClock,
      onRequest: [
        startClock,
        // Before a byte of the body is read: a stranger gets the refusal that every operation would give.
        async (request, reply) => {
          refuseForeignHost(exchangeOf(request, reply), route.baseUrl())
          const known = await callOwn(app, request, { method: 'GET', url: '/api/Authenticate' })
          if (known.statusCode !== 200) {
            return reply
              .code(known.statusCode)
              .headers(known.headers as Record<string, string>)
              .send(known.payload)
          }
          await takeSlot(app, request, reply, route.authenticators)
          return undefined
        },
      ],
      handler: async (request, reply) => {
        const left = new AbortController()
        app.answers.onClose(reply.raw, () => left.abort())
        const response = await answer(toWebRequest(request, left.signal), request.body, ownFetchFor(app, request))
        return reply.send(response)
      },
    })
  }
  await app.register(serve)
}

/** Its keys are right: they were checked a moment ago. */
async function takeSlot(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply, how: Authenticators) {
  const { account } = await authenticateCaller(how, exchangeOf(request, reply))
  const slot = app.slots.forAccount('mcp', { accountId: account.id, organizationId: account.organizationId })
  app.answers.onClose(reply.raw, () => slot.release())
}

function callOwn(app: FastifyInstance, request: FastifyRequest, asked: InjectOptions) {
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, request.headers[name]]])),
  )
  return app.inject({
    ...asked,
    headers: { ...asked.headers, ...headers },
    remoteAddress: request.raw.socket.remoteAddress ?? '',
  })
}

function ownFetchFor(app: FastifyInstance, request: FastifyRequest): OwnFetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const answered = await callOwn(app, request, {
      method: (init.method ?? 'GET') as 'GET',
      url: pathname + search,
      headers: init.headers as Record<string, string>,
      ...(init.body ? { payload: init.body as string } : {}),
    })
    init.signal?.throwIfAborted()
    const { statusCode, rawPayload, headers } = answered
    return new Response(statusCode === 204 ? null : new Uint8Array(rawPayload), {
      status: statusCode,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
    })
  }
}

/** The address is only a name here: what matters is the path, the headers and the body, which was read already. */
function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return new Request(`http://localhost${request.url}`, { method: request.method, headers, signal })
}
