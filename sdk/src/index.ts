export { type Client, type ClientOptions, createClient, type FormBody } from './client.ts'
export { PatchbayError } from './errors.ts'
