// Traces as a collector sees them: a real receiver of OTLP over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from './harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from './harness/http-target.ts'
import { startService, type TestService } from './harness/service.ts'
import { enableWebhook } from './harness/webhooks.ts'
import { deployWorkflow } from './harness/workflows.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status?: { code?: number; message?: string }
}

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

let collector: HttpTarget
let target: HttpTarget
let service: TestService
beforeAll(async () => {
  collector = await startHttpTarget()
  target = await startHttpTarget()
  service = await startService({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, PATCHBAY_TRACE_TARGETS: 'http' },
  })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
})

/** Of everything that was received, the spans of one trace, once there are as many. */
function spansOf(traceId: string, count: number): Promise<Span[]> {
  return eventually(() => {
    const spans = collector.received.flatMap(({ body }) =>
      (JSON.parse(body.toString()).resourceSpans as { scopeSpans: { spans: Span[] }[] }[]).flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
    const found = spans.filter((span) => span.traceId === traceId)
    return found.length >= count ? found : undefined
  })
}

it('one trace goes from the webhook request over the queue to the calls of its blocks, and on to the target', async () => {
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'bearer', token: 's3cret-token' })
  const HTTP = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
  const blocks = [
    { blockName: 'Fetch', script: "return api.post('http/items?code=hidden', { n: 1 })" },
    { blockName: 'Fail', script: 'throw new Error("no stock")' },
  ]
  const workflow = await deployWorkflow(service.manager, blocks, { applications: { HTTP } })
  const webhook = await enableWebhook(service.manager, workflow.id)
  const { webhookId } = (await webhook.send({})).body
  const spans = await spansOf(webhookId.replaceAll('-', ''), 6)
  const named = (name: string) => spans.find((span) => span.name === name) as Span
  const [request, run, fetched, call] = ['request Webhook', 'run 1', 'block Fetch', 'POST HTTP'].map(named)
  const parentOf = (name: string) => named(name)?.parentSpanId
  expect(request?.parentSpanId || undefined).toBeUndefined()
  expect([parentOf('queue'), parentOf('run 1')]).toEqual([request?.spanId, request?.spanId])
  expect([parentOf('block Fetch'), parentOf('block Fail')]).toEqual([run?.spanId, run?.spanId])
  expect([call?.parentSpanId, call?.kind]).toEqual([fetched?.spanId, 3])
  expect(['run 1', 'block Fail', 'block Fetch'].map((name) => named(name).status?.code ?? 0)).toEqual([2, 2, 0])
  for (const span of spans) expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
  // The target is told of the call that is its parent; the collector is told no secret.
  const told = target.received.find(({ url }) => url.startsWith('/items'))
  expect(told?.headers['traceparent']).toBe(`00-${call?.traceId}-${call?.spanId}-01`)
  expect(Buffer.concat(collector.received.map(({ body }) => body)).toString()).not.toMatch(/hidden|s3cret-token/)
})
