export type { ApplicationCall, ApplicationCalls, Json } from './application-calls.ts'
