export { type ApplicationCall, type ApplicationCalls, createApplicationCalls } from './application-calls.ts'
export { proxyRoutes } from './routes.ts'
