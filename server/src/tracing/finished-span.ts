export type FinishedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: 'server' | 'internal' | 'client'
  startedMs: number
  endedMs: number
  attributes: Record<string, string | number>
  /** Why it failed; undefined when it did not. */
  error: string | undefined
}

export type EmitSpan = (span: FinishedSpan) => void
