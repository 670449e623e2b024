export { awaitServer } from './await-server.ts'
export { lockForBackup, unlessBackup } from './backup-lock.ts'
export { type Beside, oneByOne, together } from './beside.ts'
export { splitDatabaseUrl } from './connect/database-url.ts'
export type { ConnectionSettings } from './connect/hosts.ts'
export { copyIn, copyOut } from './copy.ts'
export {
  Database,
  type Db,
  type Queryable,
  type Scope,
  type Tx,
  violatedConstraint,
} from './database.ts'
export { transactDespiteDeadlock } from './despite-deadlock.ts'
export { type EmbeddedServer, embeddedConnection, isEmbeddedServerUp, startEmbeddedServer } from './embedded.ts'
export {
  describeFault,
  explainFault,
  isAway,
  isDenied,
  isTransient,
  isUnreachable,
  tooManyConnections,
} from './faults.ts'
export { inOrder } from './in-order.ts'
export { Lease } from './lease.ts'
export { applyMigrations, countMigrations, judgeMigrations, migrate, unknownMigration } from './migrate.ts'
export { readOneMoment } from './one-moment.ts'
export { connectOwner } from './owner.ts'
export { nothing, rawStatement, type Sql, type Statement, sql, when } from './sql.ts'
export {
  isBeingMoved,
  isDeadlock,
  isDiskFull,
  isLockTimeout,
  isNotInstalled,
  isOutOfConnections,
  isPartitionOverlap,
  isProtocolViolation,
  isReadOnly,
  isUnstorableText,
  isUnstorableValue,
  lacksPrivilege,
  refusesSessions,
} from './sqlstates.ts'
