export type { ConnectionSettings } from './connection.ts'
export {
  Database,
  type Db,
  type Queryable,
  type Scope,
  type Tx,
  violatedConstraint,
} from './database.ts'
export { embeddedConnection, startEmbeddedServer } from './embedded.ts'
export { isTransient } from './faults.ts'
export { isUpToDate, migrate } from './migrate.ts'
export { nothing, rawStatement, type Sql, type Statement, sql, when } from './sql.ts'
