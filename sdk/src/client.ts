// A typed client over the table of operations: what the contract says is what the compiler checks.
import type { OperationName } from '@patchbay/contract'
import { type AnyParts, addressOf, type Connection, type Exchanged, exchange } from './exchange.ts'
import type { Methods } from './methods.ts'
import { readPages } from './pages.ts'
import type { Answer, ItemOf, PagedName, Parts, SearchParts } from './request-parts.ts'
import { routes } from './routes.ts'
import { readStream, type StreamEvent, type StreamOptions } from './stream.ts'

export type ClientOptions = {
  baseUrl: string
  /** A key pair; leave out in a browser that has a session cookie. */
  keys?: { consumer: string; secretKey: string }
  /** Act for this account. */
  managedAccountId?: string
  /** Further headers, for example X-CSRF-Token of a session. */
  headers?: Record<string, string>
  /** Longest time for one attempt of a request, two minutes by default; 0 for no limit. */
  timeoutMs?: number
  /** Further attempts after a failure that is safe to repeat; 2 by default. */
  retries?: number
  fetch?: typeof fetch
}

export type Client = Methods & {
  /** What happens, as it happens: `for await (const event of client.stream())`. */
  stream(options?: StreamOptions): AsyncGenerator<StreamEvent>
  /** Every item of a paged list: `for await (const run of client.each('GetRunHistory', { params: { workflowId } }))`. */
  each<Name extends PagedName>(name: Name, parts?: SearchParts<Name>): AsyncGenerator<ItemOf<Name>>
  /** An operation by its name in the reference. */
  call<Name extends OperationName>(name: Name, parts: Parts<Name>): Promise<Answer<Name>>
  /** As `call`, with the status and the headers of the answer. */
  exchange<Name extends OperationName>(name: Name, parts: Parts<Name>): Promise<Exchanged<Answer<Name>>>
}

const timeoutMsDefault = 120_000
const retriesDefault = 2

export function createClient(options: ClientOptions): Client {
  const connection: Connection = {
    // An address copied from a browser ends with a slash.
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    headers: {
      ...(options.keys ? { Consumer: options.keys.consumer, SecretKey: options.keys.secretKey } : {}),
      ...(options.managedAccountId ? { ManagedAccountId: options.managedAccountId } : {}),
      ...options.headers,
    },
    // Called as a plain function: browsers refuse a fetch that is called as a method.
    fetch: (...given) => (options.fetch ?? fetch)(...given),
    timeoutMs: options.timeoutMs ?? timeoutMsDefault,
    retries: options.retries ?? retriesDefault,
  }
  const call = async (name: OperationName, parts: AnyParts = {}) =>
    (await exchange(connection, routes[name], parts)).data
  const methods = Object.fromEntries(
    Object.keys(routes).map((name) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      (parts?: AnyParts) => call(name as OperationName, parts),
    ]),
  )
  const byHand = {
    stream({ workflowId, acrossAccounts, ...rest }: StreamOptions = {}) {
      const url = connection.baseUrl + addressOf(routes.Stream, {}, { workflowId, acrossAccounts })
      return readStream({ url, headers: connection.headers, fetch: connection.fetch }, rest)
    },
    each(name: PagedName, parts: AnyParts = {}) {
      return readPages((body) => call(name, { ...parts, body }), parts.body as object)
    },
    call,
    exchange: (name: OperationName, parts: AnyParts) => exchange(connection, routes[name], parts),
  }
  // The table is typed by the contract, which the compiler cannot follow through Object.fromEntries.
  return { ...methods, ...byHand } as unknown as Client
}
