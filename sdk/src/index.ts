export type { AnswerOf, BodyOf, NoContent, OperationName, Operations, ParamsOf, QueryOf } from '@patchbay/contract'
export {
  flowFieldNames,
  isGuid,
  listSizeMax,
  maskedValue,
  runStatuses,
  searchPlaces,
  workflowStates,
} from '@patchbay/contract/client-values'
export { noContent } from '@patchbay/contract/operation'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ConnectionError, PatchbayError } from './errors.ts'
export type { Exchanged } from './exchange.ts'
export type { Answer, FormBody, ItemOf, PagedName, Parts, SearchParts, SendOptions } from './request-parts.ts'
export type { StreamEvent, StreamOptions } from './stream.ts'
