export { AuditChain } from './chain.ts'
export { type Actor, type AuditRow, actorOf, recordAudit, recordAudits } from './record.ts'
export { auditRoutes } from './routes.ts'
export { verifyAuditChain } from './verify-chain.ts'
