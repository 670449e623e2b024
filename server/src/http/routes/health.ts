import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { addressMatcher } from '../../lib/address-list.ts'
import { AppError } from '../../lib/app-error.ts'
import { cellLabel } from '../../lib/cell.ts'
import type { Metrics } from '../../metrics/index.ts'
import { sendError } from '../answer/errors.ts'

const isLoopback = addressMatcher(['127.0.0.0/8', '::1'])

/** `whyNotReady` resolves to a sentence, or undefined when everything needed is there. */
export function addHealth(app: FastifyInstance, whyNotReady: () => Promise<string | undefined>): void {
  const health = { exposeHeadRoute: true }
  app.get('/livez', health, async () => ({ status: 'alive' }))
  app.get('/readyz', health, async () => {
    const why = await whyNotReady()
    if (why !== undefined) throw new AppError('not_ready', why)
    return { status: 'ready', ...cellLabel() }
  })
}

/** On the main port, metrics answer only to the machine itself: a request that came through a proxy is not from the machine. */
export function addMetricsForLoopback(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (request, reply) => {
    const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined
    if (isForwarded || !isLoopback(request.socket.remoteAddress ?? '')) {
      throw new AppError('route_not_found', 'No such route: GET /metrics.')
    }
    return reply.type(metrics.registry.contentType).send(await metrics.read())
  })
}

/** A server of its own for those who watch: a worker's only one. */
export async function startMetricsServer(
  host: string,
  port: number,
  metrics: Metrics,
  whyNotReady: () => Promise<string | undefined>,
): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  app.setErrorHandler(sendError)
  addHealth(app, whyNotReady)
  app.get('/metrics', async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.read()))
  await app.listen({ host, port })
  return app
}
