// Server-sent events as an async iterator. A stream that is cut off is opened again after the last event that was seen.
import type { StreamEventName } from '@patchbay/contract'
import { PatchbayError } from './errors.ts'

export type StreamEvent = {
  id: string
  type: StreamEventName
  data: { accountId: string; workflowId?: string; timestamp: string } & Record<string, unknown>
}

export type StreamOptions = {
  workflowId?: string
  acrossAccounts?: boolean
  /** Resume after this event. */
  lastEventId?: string
  /** Ends the iteration. */
  signal?: AbortSignal
}

type Request = { url: string; headers: Record<string, string>; fetch: typeof fetch }

const retryMs = 2_000

/** Ends when the signal is aborted; throws when the service refuses. */
export async function* readStream(request: Request, options: StreamOptions): AsyncGenerator<StreamEvent> {
  let lastEventId = options.lastEventId
  while (!options.signal?.aborted) {
    try {
      for await (const event of readOnce(request, lastEventId, options.signal)) {
        lastEventId = event.id
        yield event
      }
    } catch (error) {
      if (options.signal?.aborted) return
      // A refusal stays one; what is busy or away may come back.
      if (error instanceof PatchbayError && error.status < 500 && error.status !== 429) throw error
    }
    if (!options.signal?.aborted) await new Promise((done) => setTimeout(done, retryMs))
  }
}

async function* readOnce(
  request: Request,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent> {
  const headers = { ...request.headers, ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) }
  const response = await request.fetch(request.url, { headers, ...(signal ? { signal } : {}) })
  if (!response.ok) {
    throw PatchbayError.from(response.status, await response.text(), response.headers.get('x-request-id'))
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; reader; ) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (text + value).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const event = parseEvent(part)
      if (event) yield event
    }
  }
}

/** Undefined for a comment. */
function parseEvent(part: string): StreamEvent | undefined {
  const field = (name: string) => part.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1]
  const [id, type, data] = [field('id'), field('event'), field('data')]
  if (id === undefined || type === undefined || data === undefined) return undefined
  return { id, type: type as StreamEventName, data: JSON.parse(data) }
}
