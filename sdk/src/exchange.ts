// One request of an operation, with its time limit and its repetitions, up to an answer or a refusal.
import { noContent } from '@patchbay/contract/operation'
import { ConnectionError, PatchbayError } from './errors.ts'
import type { Route, SendOptions } from './request-parts.ts'
import { mayRepeat, pause, waitBefore } from './retry.ts'

export type Connection = {
  baseUrl: string
  headers: Readonly<Record<string, string>>
  fetch: typeof fetch
  timeoutMs: number
  retries: number
}

export type AnyParts = SendOptions & {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

export type Exchanged<Data> = { status: number; headers: Headers; data: Data }

export async function exchange(connection: Connection, route: Route, parts: AnyParts): Promise<Exchanged<unknown>> {
  const retries = parts.retries ?? connection.retries
  for (let attempt = 0; ; attempt++) {
    const found = await attemptOnce(connection, route, parts)
    if ('data' in found) return found
    if (attempt >= retries || !mayRepeat(route, found.failure)) throw found.error
    await pause(waitBefore(attempt, found.failure), parts.signal)
  }
}

type Failed = { failure: Response | ConnectionError; error: Error }

async function attemptOnce(
  connection: Connection,
  route: Route,
  parts: AnyParts,
): Promise<Exchanged<unknown> | Failed> {
  const timeoutMs = parts.timeoutMs ?? connection.timeoutMs
  const limit = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined
  const signals = [limit, parts.signal].filter((signal) => signal !== undefined)
  try {
    const response = await connection.fetch(connection.baseUrl + addressOf(route, parts.params, parts.query), {
      ...requestOf(connection, route, parts),
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
    })
    const { status, headers } = response
    const text = await response.text()
    if (!response.ok) {
      return { failure: response, error: PatchbayError.from(status, text, headers.get('x-request-id')) }
    }
    const isJson = headers.get('content-type')?.includes('json') ?? true
    const data = status === 204 ? noContent : text === '' ? undefined : isJson ? JSON.parse(text) : text
    return { status, headers, data }
  } catch (cause) {
    const failure = describeFailure(cause, { connection, route, limit, timeoutMs, signal: parts.signal })
    return { failure, error: failure }
  }
}

type Circumstances = {
  connection: Connection
  route: Route
  limit: AbortSignal | undefined
  timeoutMs: number
  signal: AbortSignal | undefined
}

function describeFailure(cause: unknown, circumstances: Circumstances): ConnectionError {
  const { connection, route, limit, timeoutMs, signal } = circumstances
  const facts = { mayHaveChanged: route.changesState === true, cause }
  if (signal?.aborted) return new ConnectionError('The request was cancelled.', { isCancelled: true, ...facts })
  const where = connection.baseUrl || 'The service'
  if (limit?.aborted) return new ConnectionError(`${where} did not answer within ${timeoutMs} ms.`, facts)
  if (cause instanceof SyntaxError) return new ConnectionError(`${where} did not answer with JSON.`, facts)
  return new ConnectionError(`${where} cannot be reached. Is the service running, and is the address right?`, facts)
}

function requestOf(connection: Connection, route: Route, { body, headers }: AnyParts): RequestInit {
  const isForm = route.bodyType === 'multipart'
  return {
    method: route.method,
    headers: {
      // Of a form only fetch knows the boundary, so it writes the type itself.
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      ...connection.headers,
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? formOf(body) : JSON.stringify(body) }),
  }
}

function formOf(body: unknown): FormData {
  if (body instanceof FormData) return body
  const form = new FormData()
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) form.append(name, one instanceof Blob ? one : String(one))
    }
  }
  return form
}

export function addressOf(
  route: Route,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const values = Object.entries(query).filter(([, value]) => value !== undefined)
  return values.length === 0
    ? path
    : `${path}?${new URLSearchParams(values.map(([name, value]): [string, string] => [name, String(value)]))}`
}
