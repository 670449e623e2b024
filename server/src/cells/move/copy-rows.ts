// Rows of one organization, from one database into another, through tables of the session: what is guarded by row-level security takes no COPY.
import type pg from 'pg'
import { copyIn, copyOut } from '../../db/index.ts'
import { calledBack, jobColumns, putOffColumns, selectJobs } from './jobs.ts'
import type { MovedTable, Organization } from './tables.ts'

export type CopyDeps = {
  source: pg.Client
  target: pg.Client
  organization: Organization
  /** Stores of the source whose shares lie in a store of the target now. */
  stores: ReadonlyMap<string, string>
}

/** What a row says differently once it is there. */
function expressionOf(table: string, column: string, stores: ReadonlyMap<string, string>): string {
  if (table === 'accounts' && column === 'state') return 'coalesce(state_before_move, state) as state'
  if (table === 'accounts' && column === 'state_before_move') return 'null as state_before_move'
  if (putOffColumns[table] === column) return `${calledBack(column)} as ${column}`
  if (table === 'shares' && column === 'storage_id') {
    const cases = [...stores].map(([from, to]) => `when '${from}' then '${to}'`)
    return cases.length === 0
      ? column
      : `case storage_id::text ${cases.join(' ')} else storage_id::text end::uuid as storage_id`
  }
  return column
}

/** Uploads that were under way have nobody left to finish them, and what was taken back is not brought along. */
const furtherConditions: Record<string, string> = { shares: "status in ('Ready', 'Locked')" }

/** Into a table of the session, named `moving_<table>`; the caller takes it from there. */
export async function stageTable({ source, target, stores }: CopyDeps, table: MovedTable): Promise<void> {
  const further = furtherConditions[table.name]
  const where = further === undefined ? table.rows : `(${table.rows}) and ${further}`
  const columns = table.columns.join(', ')
  const staged = `moving_${table.name}`
  await target.query(`create temporary table ${staged} on commit drop as select ${columns} from ${table.name} with no data;
    grant select on ${staged} to patchbay_system`)
  const list = table.columns.map((column) => expressionOf(table.name, column, stores)).join(', ')
  await copyIn(target, `${staged} (${columns})`, copyOut(source, `select ${list} from ${table.name} where ${where}`))
}

/** Numbers of the other database are given in the order of those here. */
export async function copyTable(deps: CopyDeps, table: MovedTable): Promise<number> {
  await stageTable(deps, table)
  const { name, identity } = table
  const columns = table.columns.filter((column) => column !== identity).join(', ')
  const order = identity === null ? '' : `order by ${identity}`
  const { rowCount } = await withRole(deps.target, () =>
    deps.target.query(`insert into ${name} (${columns}) select ${columns} from moving_${name} ${order}`),
  )
  return rowCount ?? 0
}

/** Those of which the organization has rows. */
export async function listFilled(source: pg.Client, tables: readonly MovedTable[]): Promise<MovedTable[]> {
  const asked = tables.map(
    ({ name, rows }) => `select '${name}' as name where exists (select from ${name} where ${rows})`,
  )
  const { rows } = await source.query<{ name: string }>(asked.join(' union all '))
  const filled = new Set(rows.map(({ name }) => name))
  return tables.filter(({ name }) => filled.has(name))
}

export async function copyJobs({ source, target, organization }: CopyDeps): Promise<number> {
  const columns = await jobColumns(source)
  const list = columns.join(', ')
  await target.query(`create temporary table moving_jobs on commit drop as select ${list} from jobs with no data`)
  await target.query('grant select on moving_jobs to patchbay_system')
  await copyIn(target, `moving_jobs (${list})`, copyOut(source, selectJobs(columns, organization)))
  const { rowCount } = await withRole(target, () =>
    target.query(`insert into jobs (${list}) select ${list} from moving_jobs order by queued_at, id`),
  )
  return rowCount ?? 0
}

/** Within a transaction of the owner: for rows that only the service's own role sees. */
export async function withRole<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('set local role patchbay_system')
  const result = await work()
  await client.query('set local role none')
  return result
}
