// Backups of earlier versions hold jobs in a table of a queue library. It is made for them as they name its columns, and the migration that follows moves
// what is in it.
import pg from 'pg'
import type { Table } from './database-shape.ts'

/** Of the columns that the migration reads. */
const types: Record<string, string> = {
  id: 'uuid',
  data: 'jsonb',
  blocked: 'boolean',
  retry_count: 'integer',
  start_after: 'timestamptz',
  started_on: 'timestamptz',
  created_on: 'timestamptz',
}

export async function makeEarlierJobs(owner: pg.Client, tables: readonly Table[]): Promise<void> {
  const table = tables.find(({ schema, name }) => schema === 'pgboss' && name === 'job')
  if (!table) return
  const columns = table.columns.map((column) => `${pg.escapeIdentifier(column)} ${types[column] ?? 'text'}`)
  await owner.query(`create schema pgboss; create table pgboss.job (${columns.join(', ')})`)
}
