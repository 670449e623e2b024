// One REST operation is one value. Validation, types, serialisation, OpenAPI, GetMetaData, the SDK and the tests read it.
import type { Static, TObject, TSchema } from 'typebox'
import type { AuditAction } from './audit-actions.ts'
import type { ErrorCode } from './errors.ts'
import type { Feature } from './features.ts'
import type { RoleName } from './roles.ts'

export type OperationSpec = OperationShape & (Reading | Changing)

type Reading = { changesState?: false; audit?: AuditAction }

type Changing = {
  /** A GET that changes state refuses HEAD. Every POST that is not a search changes state. */
  changesState: true
  /** What the audit log calls the change: one of these for each change that took place. Null, with the reason beside it, where none is written. */
  audit: AuditAction | readonly AuditAction[] | null
}

type OperationShape = {
  /** Unique; also the `name` in GetMetaData and the operationId in OpenAPI. */
  name: string
  /** Where it is found in the reference: its tag in OpenAPI. */
  feature: Feature
  method: 'GET' | 'POST'
  /** With `:param` placeholders. */
  path: string
  description: string
  /** `keys` needs a key pair or a signed-in session; `public` routes are an explicit, short list. */
  access?: 'keys' | 'public'
  /** Lowest role of the caller; below it the answer is 403. */
  lowestRole?: RoleName
  params?: TObject
  query?: TObject
  body?: TSchema
  /** `multipart`: a form with files of any size, handed to the handler part by part; `body` describes its fields. JSON when absent. */
  bodyType?: 'multipart'
  /** Bytes; the service's general limit applies when absent. */
  bodyBytesMax?: number
  /** A member of the body that the operation only hands on: it may hold any number of values. */
  handedOn?: string
  /** A text in the body that may be megabytes. Where it is large, the handler gets it unparsed, as JSON. */
  largeText?: string
  /** Body shapes by status. `null` is an empty body. */
  answers: { 200: TSchema | null; 204?: null }
  /** When the same body comes with 202, in words for the reference. */
  acceptedWhen?: string
  /** Further request headers, by name. The service checks them itself; the schema tells clients. */
  headers?: Readonly<Record<string, TSchema>>
  /** Headers of a 200 that a client may rely on, by name. */
  answerHeaders?: Readonly<Record<string, TSchema>>
  /** A media type in which the answer is given as well, or instead of JSON when there is no schema. */
  otherContent?: string
  /** A session needs no CSRF token here: browsers open streams without headers of ours, and nothing is changed by one. */
  needsNoCsrfToken?: boolean
  /** A path value that is not a GUID is 404 unless the interface says it is 400. */
  malformedPathIs?: 400
  /** Refusals beyond those that follow from the rest; `refusalsOf` gives all. */
  refuses?: readonly ErrorCode[]
  /** Where the interface gives an operation its own body for 400: the one field that holds the sentence. A body that is too large is then 400 too. */
  refusalField?: string
  example?: { body?: unknown; answer?: unknown }
}

/** Keeps the literal types of the value, so that handlers and clients are typed by it. */
export function operation<const Spec extends OperationSpec>(spec: Spec): Spec {
  return spec
}

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export type ParamsOf<Spec extends OperationSpec> = Shape<Spec['params']>
export type QueryOf<Spec extends OperationSpec> = Shape<Spec['query']>
export type BodyOf<Spec extends OperationSpec> = Shape<Spec['body']>
export type AnswerOf<Spec extends OperationSpec> =
  | (Spec['answers'][200] extends TSchema ? Static<Spec['answers'][200]> : undefined)
  | (Spec['answers'] extends { 204: null } ? NoContent : never)

/** A handler returns this to answer 204. */
export const noContent = Symbol('noContent')
export type NoContent = typeof noContent
