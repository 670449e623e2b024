// The official SDK of OpenTelemetry, loaded only where traces are wanted. Spans are made after the fact, so that nothing of it runs inside
// the work that they tell about.
import type { FinishedSpan } from './finished-span.ts'

export type TraceSettings = { endpoint: string; role: string }

export async function startExporter({ endpoint, role }: TraceSettings) {
  const [api, sdk, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const kinds = { server: api.SpanKind.SERVER, internal: api.SpanKind.INTERNAL, client: api.SpanKind.CLIENT }
  // The SDK asks for ids while a span is made; ours are known before.
  let next = { traceId: '', spanId: '' }
  const exporter = new otlp.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'patchbay', 'service.instance.role': role }),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  })
  const tracer = provider.getTracer('patchbay')
  return {
    emit(span: FinishedSpan): void {
      const { traceId, spanId, parentSpanId } = span
      next = { traceId, spanId }
      const parent =
        parentSpanId === undefined
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId: parentSpanId, traceFlags: 1, isRemote: true })
      const { name, attributes, startedMs: startTime } = span
      const made = tracer.startSpan(name, { kind: kinds[span.kind], startTime, attributes }, parent)
      if (span.error !== undefined)
        made.setStatus({ code: api.SpanStatusCode.ERROR, message: span.error.slice(0, 500) })
      made.end(Math.max(startTime, span.endedMs))
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  }
}
