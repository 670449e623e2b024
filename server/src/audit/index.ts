export { type Actor, actorOf, recordAudit } from './record.ts'
export { auditRoutes } from './routes.ts'
