// A typed client over the table of operations: what the contract says is what the compiler checks.
import {
  type AnswerOf,
  type BodyOf,
  noContent,
  type OperationName,
  type OperationSpec,
  type Operations,
  operations,
  type ParamsOf,
  type QueryOf,
} from '@patchbay/contract'
import { PatchbayError } from './errors.ts'
import { readStream, type StreamEvent, type StreamOptions } from './stream.ts'

export type ClientOptions = {
  baseUrl: string
  /** A key pair; leave out in a browser that has a session cookie. */
  keys?: { consumer: string; secretKey: string }
  /** Act for this account. */
  managedAccountId?: string
  /** Further headers, for example X-CSRF-Token of a session. */
  headers?: Record<string, string>
  fetch?: typeof fetch
}

type Parts<Spec extends OperationSpec> = (ParamsOf<Spec> extends undefined ? object : { params: ParamsOf<Spec> }) &
  (QueryOf<Spec> extends undefined ? object : { query?: QueryOf<Spec> }) &
  (Spec extends { bodyType: 'multipart' }
    ? { body: FormBody<BodyOf<Spec>> }
    : BodyOf<Spec> extends undefined
      ? object
      : { body: BodyOf<Spec> })

/** A form that is ready, or its fields; the field `files` takes what a form takes, files with their names. */
export type FormBody<Fields> = FormData | (Omit<Fields, 'files'> & { files: readonly (File | Blob)[] })

export type Client = {
  /** What happens, as it happens: `for await (const event of client.stream())`. */
  stream(options?: StreamOptions): AsyncGenerator<StreamEvent>
  call<Name extends OperationName>(name: Name, parts: Parts<Operations[Name]>): Promise<AnswerOf<Operations[Name]>>
}

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  const authentication = {
    ...(options.keys ? { Consumer: options.keys.consumer, SecretKey: options.keys.secretKey } : {}),
    ...(options.managedAccountId ? { ManagedAccountId: options.managedAccountId } : {}),
  }
  return {
    stream({ workflowId, acrossAccounts, ...rest } = {}) {
      const url = options.baseUrl + addressOf(operations.Stream, {}, { workflowId, acrossAccounts })
      return readStream({ url, headers: { ...authentication, ...options.headers }, fetch: send }, rest)
    },
    async call(name, parts) {
      const spec: OperationSpec = operations[name]
      const { params, query, body } = parts as {
        params?: Record<string, unknown>
        query?: Record<string, unknown>
        body?: unknown
      }
      const isForm = spec.bodyType === 'multipart'
      const response = await send(options.baseUrl + addressOf(spec, params, query), {
        method: spec.method,
        headers: {
          ...authentication,
          // Of a form only fetch knows the boundary, so it writes the type itself.
          ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
          ...options.headers,
        },
        ...(body === undefined ? {} : { body: isForm ? formOf(body) : JSON.stringify(body) }),
      })
      if (response.status === 204) return noContent as never
      const text = await response.text()
      if (!response.ok) throw PatchbayError.from(response.status, text, response.headers.get('x-request-id'))
      return (text === '' ? undefined : JSON.parse(text)) as never
    },
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

function addressOf(
  spec: OperationSpec,
  params: Record<string, unknown> = {},
  query: Record<string, unknown> = {},
): string {
  const path = spec.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const values = Object.entries(query).filter(([, value]) => value !== undefined)
  return values.length === 0
    ? path
    : `${path}?${new URLSearchParams(values.map(([name, value]): [string, string] => [name, String(value)]))}`
}
