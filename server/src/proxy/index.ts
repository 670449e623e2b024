export {
  type ApplicationAnswer,
  type ApplicationCall,
  type ApplicationCalls,
  createApplicationCalls,
  type Exchange,
  type Json,
  splitAddress,
} from './application-calls.ts'
export { proxyRoutes } from './routes.ts'
