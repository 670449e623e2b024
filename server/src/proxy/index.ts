export type { ApplicationCall, ApplicationCalls, Exchange } from './application-call.ts'
export { createApplicationCalls, endpointOf, hideSecretValues } from './application-calls.ts'
export { proxyRoutes } from './routes.ts'
