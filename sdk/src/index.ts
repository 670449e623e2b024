export { type Client, type ClientOptions, createClient } from './client.ts'
export { PatchbayError } from './errors.ts'
