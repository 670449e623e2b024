export {
  type ConnectionSettings,
  Database,
  type Db,
  type Queryable,
  type Scope,
  type Tx,
  violatedConstraint,
} from './database.ts'
export { startEmbeddedServer } from './embedded.ts'
export { migrate } from './migrate.ts'
export { nothing, Sql, sql, when } from './sql.ts'
