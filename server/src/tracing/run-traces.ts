/**
 * Runs as traces:
 *
 *   request (RunWorkflow, webhook, schedule …) ─► queue ─► run ─► block ─► call
 *
 * What a run did is gathered by its worker and told when the run has ended, with the times at which things happened. Calls need their ids
 * before that, because they are passed on to the target.
 */
import type { EmitSpan, FinishedSpan } from './finished-span.ts'
import { creationOf, newSpanId, spanIdOf, traceIdOf } from './trace-ids.ts'

type TracedRun = { id: string; webhookIds: readonly string[] | null }
export type TracedCall = {
  /** The header for the target; undefined when it is not to be told. */
  traceparent: string | undefined
  end(exchange: { method: string; url: string; statusCode?: number; errorMessage?: string }): void
}

type Gathered = { takenMs: number; spans: Omit<FinishedSpan, 'traceId'>[] }

/** Runs that are lost to other workers would stay for ever. */
const runsMax = 5_000
const spansMax = 500

export class RunTraces {
  readonly #emit: EmitSpan
  readonly #targets: ReadonlySet<string>
  readonly #open = new Map<string, Gathered>()

  /** `targets`: upper-case short names of applications that are told of the trace; `*` means all. */
  constructor(emit: EmitSpan, targets: readonly string[]) {
    this.#emit = emit
    this.#targets = new Set(targets)
  }

  onTaken({ runId }: { runId: string }): void {
    if (this.#open.size >= runsMax) this.#open.delete(this.#open.keys().next().value as string)
    this.#open.set(runId, { takenMs: Date.now(), spans: [] })
  }

  onBlockEnded(block: {
    runId: string
    blockId: string
    blockName: string | null
    status: string
    errorMessage: string | null
    startedAt: Date
    endedAt: Date
  }): void {
    this.#gather(block.runId, {
      spanId: blockSpan(block.runId, block.blockId),
      parentSpanId: runSpan(block.runId),
      name: `block ${block.blockName ?? block.blockId}`,
      kind: 'internal',
      startedMs: block.startedAt.getTime(),
      endedMs: block.endedAt.getTime(),
      attributes: { 'patchbay.block.id': block.blockId, 'patchbay.block.status': block.status },
      error: block.status === 'Error' ? (block.errorMessage ?? 'failed') : undefined,
    })
  }

  beginCall(run: TracedRun, blockId: string, shortName: string): TracedCall {
    const spanId = newSpanId()
    const startedMs = Date.now()
    const isTold = this.#targets.has('*') || this.#targets.has(shortName)
    return {
      traceparent: isTold ? `00-${traceIdOf(run)}-${spanId}-01` : undefined,
      end: ({ method, url, statusCode, errorMessage }) =>
        this.#gather(run.id, {
          spanId,
          parentSpanId: blockSpan(run.id, blockId),
          name: `${method} ${shortName}`,
          kind: 'client',
          startedMs,
          endedMs: Date.now(),
          attributes: {
            'http.request.method': method,
            'url.full': url.split('?')[0] as string,
            ...(statusCode === undefined ? {} : { 'http.response.status_code': statusCode }),
          },
          error: errorMessage ?? (statusCode !== undefined && statusCode >= 400 ? `HTTP ${statusCode}` : undefined),
        }),
    }
  }

  onEnded(
    run: TracedRun & {
      accountId: string
      workflowId: string
      runNumber: number
      runBy: string
      status: string
      errorMessage: string | null
      endedAt: Date
    },
  ): void {
    const gathered = this.#open.get(run.id)
    this.#open.delete(run.id)
    const traceId = traceIdOf(run)
    const requestId = run.webhookIds?.[0] ?? run.id
    const requestedMs = creationOf(requestId)
    const createdMs = creationOf(run.id)
    const takenMs = gathered?.takenMs ?? createdMs
    const attributes = {
      'patchbay.account.id': run.accountId,
      'patchbay.workflow.id': run.workflowId,
      'patchbay.run.number': run.runNumber,
      'patchbay.run.by': run.runBy,
    }
    const root = spanIdOf('request', requestId)
    const told = { traceId, attributes, error: undefined }
    this.#emit({
      ...told,
      spanId: root,
      parentSpanId: undefined,
      name: `request ${run.runBy}`,
      kind: 'server',
      startedMs: requestedMs,
      endedMs: Math.max(requestedMs, createdMs),
    })
    const queued = { name: 'queue', kind: 'internal' as const, startedMs: requestedMs, endedMs: takenMs }
    this.#emit({ ...told, ...queued, spanId: spanIdOf('queue', run.id), parentSpanId: root })
    this.#emit({
      ...told,
      spanId: runSpan(run.id),
      parentSpanId: root,
      name: `run ${run.runNumber}`,
      kind: 'internal',
      startedMs: takenMs,
      endedMs: run.endedAt.getTime(),
      error: run.status === 'Error' ? (run.errorMessage ?? 'failed') : undefined,
    })
    for (const span of gathered?.spans ?? []) this.#emit({ ...span, traceId })
  }

  #gather(runId: string, span: Omit<FinishedSpan, 'traceId'>): void {
    const gathered = this.#open.get(runId)
    if (gathered && gathered.spans.length < spansMax) gathered.spans.push(span)
  }
}

function runSpan(runId: string): string {
  return spanIdOf('run', runId)
}

function blockSpan(runId: string, blockId: string): string {
  return spanIdOf('block', runId, blockId)
}
