export {
  type ApplicationCall,
  type ApplicationCalls,
  createApplicationCalls,
  type Exchange,
  endpointOf,
} from './application-calls.ts'
export { proxyRoutes } from './routes.ts'
