// The one door to the service: the SDK with the session's cookie and token, for the account that is managed at the moment.
import {
  type AnswerOf,
  type BodyOf,
  ConnectionError,
  createClient,
  noContent,
  type OperationName,
  type Operations,
  type ParamsOf,
  PatchbayError,
  type QueryOf,
} from '@patchbay/sdk'
import {
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { connectivity } from './session/connectivity.ts'
import { managedAccountId } from './session/managed-account.ts'
import { renewSession, sessionToken } from './session/session.ts'

export type Answer<Name extends OperationName> = Exclude<AnswerOf<Operations[Name]>, typeof noContent>
export type Body<Name extends OperationName> = BodyOf<Operations[Name]>
export type Parts<Name extends OperationName> = (ParamsOf<Operations[Name]> extends undefined
  ? object
  : { params: ParamsOf<Operations[Name]> }) &
  (QueryOf<Operations[Name]> extends undefined ? object : { query?: QueryOf<Operations[Name]> }) &
  (BodyOf<Operations[Name]> extends undefined ? object : { body: BodyOf<Operations[Name]> })

type CallOptions = {
  signal?: AbortSignal
  /** For this account in place of the one that is managed. */
  accountId?: string
  headers?: Record<string, string>
  onHeaders?: (headers: Headers) => void
}

/** One call. A session that has ended is renewed by the person first, so that what was typed is not lost; undefined stands for 204. */
export async function call<Name extends OperationName>(
  name: Name,
  parts: Parts<Name>,
  options: CallOptions = {},
): Promise<Answer<Name> | undefined> {
  // Whoever signs in again may meanwhile manage another account; the repeat is for the one that was meant.
  const managed = options.accountId ?? managedAccountId()
  for (;;) {
    const token = sessionToken()
    try {
      const { signal, headers = {} } = options
      const sent = { ...parts, headers, ...(signal ? { signal } : {}) }
      const answer = await clientFor(token, managed).exchange(name, sent as never)
      connectivity.reached()
      options.onHeaders?.(answer.headers)
      return (answer.data as unknown) === noContent ? undefined : (answer.data as Answer<Name>)
    } catch (error) {
      if (error instanceof PatchbayError && error.status === 401) {
        connectivity.reached()
        await renewSession(token)
        continue
      }
      if (error instanceof ConnectionError && !error.isCancelled) connectivity.lost()
      throw error
    }
  }
}

function clientFor(token: string | undefined, managed: string | undefined) {
  return createClient({
    baseUrl: '',
    ...(managed === undefined ? {} : { managedAccountId: managed }),
    headers: token === undefined ? {} : { 'X-CSRF-Token': token },
    // Reading is repeated by the query layer, which knows what is still wanted; a change is never repeated by itself.
    retries: 0,
  })
}

/** Each managed account has a cache of its own: nothing of one is ever shown under the name of another. */
export function queryKeyOf<Name extends OperationName>(name: Name, parts?: Parts<Name>): readonly unknown[] {
  return parts === undefined ? [managedAccountId() ?? 'own', name] : [managedAccountId() ?? 'own', name, parts]
}

export function operationQuery<Name extends OperationName>(name: Name, parts: Parts<Name>) {
  return {
    queryKey: queryKeyOf(name, parts),
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Answer<Name> | null> =>
      (await call(name, parts, { signal })) ?? null,
  }
}

type ReadOptions<Data> = {
  enabled?: boolean
  /** Ask again after so many milliseconds; false for never. */
  refetchInterval?: number | false | ((data: Data | null | undefined) => number | false)
  /** Show the previous answer while the next one is on its way: for pages and filters of a list. */
  keepPrevious?: boolean
  staleTime?: number
}

export function useOperation<Name extends OperationName>(
  name: Name,
  parts: Parts<Name>,
  options: ReadOptions<Answer<Name>> = {},
): UseQueryResult<Answer<Name> | null> {
  const { refetchInterval, keepPrevious, ...rest } = options
  return useQuery({
    ...operationQuery(name, parts),
    ...rest,
    ...(keepPrevious ? { placeholderData: (previous: Answer<Name> | null | undefined) => previous } : {}),
    ...(refetchInterval === undefined
      ? {}
      : {
          refetchInterval:
            typeof refetchInterval === 'function'
              ? (query: { state: { data: unknown } }) =>
                  refetchInterval(query.state.data as Answer<Name> | null | undefined)
              : refetchInterval,
        }),
  } as never) as UseQueryResult<Answer<Name> | null>
}

/** Read for another account than the one that is managed, where a page is about several. */
export function useOperationAs<Name extends OperationName>(
  accountId: string,
  name: Name,
  parts: Parts<Name>,
): UseQueryResult<Answer<Name> | null> {
  return useQuery({
    queryKey: [accountId, name, parts],
    queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(name, parts, { signal, accountId })) ?? null,
  })
}

export type Done<Name extends OperationName> = { answer: Answer<Name> | undefined; headers: Headers | undefined }

/** An operation that changes something; afterwards everything that `changes` names is read anew. */
export function useAction<Name extends OperationName>(
  name: Name,
  options: {
    changes?: readonly OperationName[]
    onDone?: (done: Done<Name>, parts: Parts<Name>) => void
    /** The page shows a refusal where it belongs; no toast repeats it. */
    isShownInPlace?: boolean
  } = {},
): UseMutationResult<Done<Name>, Error, Parts<Name>> {
  const client = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: options.isShownInPlace === true },
    mutationFn: async (parts: Parts<Name>) => {
      let headers: Headers | undefined
      const answer = await call(name, parts, { onHeaders: (given) => (headers = given) })
      return { answer, headers }
    },
    onSuccess: async (done, parts) => {
      options.onDone?.(done, parts)
      await forget(client, options.changes ?? [])
    },
  })
}

export async function forget(client: QueryClient, names: readonly OperationName[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: queryKeyOf(name) })))
}

/** The sentence for people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof PatchbayError) return error.message
  if (error instanceof ConnectionError) {
    return error.mayHaveChanged
      ? 'Patchbay cannot be reached. Before you try again, check whether the change was made.'
      : 'Patchbay cannot be reached. Check your connection, then try again.'
  }
  return error instanceof Error ? error.message : String(error)
}

/** The number that RunWorkflow and RetryRun give their run. */
export function runNumberOf(headers: Headers | undefined): number | undefined {
  const text = headers?.get('x-run-number')
  return text ? Number(text) : undefined
}
