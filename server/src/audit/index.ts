export { type Actor, actorOf, recordAudit, recordAudits } from './record.ts'
export { auditRoutes } from './routes.ts'
