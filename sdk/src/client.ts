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
  (BodyOf<Spec> extends undefined ? object : { body: BodyOf<Spec> })

export type Client = {
  call<Name extends OperationName>(name: Name, parts: Parts<Operations[Name]>): Promise<AnswerOf<Operations[Name]>>
}

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return {
    async call(name, parts) {
      const spec: OperationSpec = operations[name]
      const { params, query, body } = parts as {
        params?: Record<string, unknown>
        query?: Record<string, unknown>
        body?: unknown
      }
      const response = await send(options.baseUrl + addressOf(spec, params, query), {
        method: spec.method,
        headers: {
          ...(options.keys ? { Consumer: options.keys.consumer, SecretKey: options.keys.secretKey } : {}),
          ...(options.managedAccountId ? { ManagedAccountId: options.managedAccountId } : {}),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...options.headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (response.status === 204) return noContent as never
      const text = await response.text()
      if (!response.ok) throw PatchbayError.from(response.status, text, response.headers.get('x-request-id'))
      return (text === '' ? undefined : JSON.parse(text)) as never
    },
  }
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
