// What a call takes, derived from the contract: path parameters, query, body, and how to send it.
import type { AnswerOf, BodyOf, OperationName, OperationSpec, Operations, ParamsOf, QueryOf } from '@patchbay/contract'

/** A form that is ready, or its fields; the field `files` takes what a form takes, files with their names. */
export type FormBody<Fields> = FormData | (Omit<Fields, 'files'> & { files: readonly (File | Blob)[] })

type PartsOf<Spec extends OperationSpec> = (ParamsOf<Spec> extends undefined ? object : { params: ParamsOf<Spec> }) &
  (QueryOf<Spec> extends undefined ? object : { query?: QueryOf<Spec> }) &
  (Spec extends { bodyType: 'multipart' }
    ? { body: FormBody<BodyOf<Spec>> }
    : BodyOf<Spec> extends undefined
      ? object
      : { body: BodyOf<Spec> })

/** What a request needs to know of its operation. */
export type Route = { method: 'GET' | 'POST'; path: string; changesState?: true; bodyType?: 'multipart' }

export type SendOptions = {
  /** Cancels the request, and the wait before a retry. */
  signal?: AbortSignal
  /** Longest time for one attempt; 0 for no limit. */
  timeoutMs?: number
  /** Further attempts after a failure that is safe to repeat. */
  retries?: number
  /** Further headers of this request, for example If-Match. */
  headers?: Readonly<Record<string, string>>
}

/** Everything one call of the operation takes. */
export type Parts<Name extends OperationName> = PartsOf<Operations[Name]> & SendOptions

export type Answer<Name extends OperationName> = AnswerOf<Operations[Name]>

/** A method of the client. Its argument may be left out where the operation needs none. */
export type Method<Name extends OperationName> =
  object extends PartsOf<Operations[Name]>
    ? (parts?: Parts<Name>) => Promise<Answer<Name>>
    : (parts: Parts<Name>) => Promise<Answer<Name>>

/** Operations that answer page by page. */
export type PagedName = {
  [Name in OperationName]: BodyOf<Operations[Name]> extends { page?: number; size?: number }
    ? 'page' extends keyof BodyOf<Operations[Name]>
      ? Name
      : never
    : never
}[OperationName]

/** One item of the list that a paged operation answers. */
export type ItemOf<Name extends PagedName> = {
  [Field in keyof Answer<Name>]: Answer<Name>[Field] extends readonly (infer Item)[] ? Item : never
}[keyof Answer<Name>]

/** A search as `call` takes it; the iterator turns the pages itself. */
export type SearchParts<Name extends PagedName> = Omit<Parts<Name>, 'body'> & {
  body?: Omit<BodyOf<Operations[Name]>, 'page'>
}
