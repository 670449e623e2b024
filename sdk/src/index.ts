export type { AnswerOf, BodyOf, NoContent, OperationName, Operations, ParamsOf, QueryOf } from '@patchbay/contract'
export { noContent } from '@patchbay/contract'
export { type Client, type ClientOptions, createClient, type FormBody } from './client.ts'
export { PatchbayError } from './errors.ts'
