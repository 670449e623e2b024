/**
 * Removes runs beyond the number that a workflow keeps. Nobody sees them any more, so there is no hurry: they go when their day is over.
 *
 *  - A day that holds mostly such runs is emptied as a whole and gets back the few that are kept: what goes costs nothing.
 *  - From other days they are deleted one by one, in large pieces.
 *  - Those of today stay, unless they are very many.
 */
import { type Db, isLockTimeout, rawStatement, sql, unlessBackup } from '../../db/index.ts'

export type Sweep = {
  runsKeptMax: number
  /** Asked before each piece; false ends the sweep. */
  mayGoOn(): Promise<boolean>
}

type Surplus = { id: string; upto: number }
type Day = { table: string; surplus: number; is_open: boolean }

const deletedAtOnce = 5000
/** Of today, as many wait for tomorrow. */
const openSurplusMax = 1_000_000
/** So many are put aside and back in a moment; the day's history waits meanwhile. */
const putBackMax = 50_000

export async function sweepBeyondCount(db: Db, sweep: Sweep): Promise<void> {
  const surplus = await listSurplus(db, sweep.runsKeptMax)
  if (surplus.length === 0) return
  for (const day of await listDays(db, surplus)) {
    if (day.is_open && day.surplus <= openSurplusMax) continue
    if (!(await sweep.mayGoOn())) return
    if (await isBestEmptied(db, day)) {
      await emptyDay(db, day, surplus)
      continue
    }
    while ((await deleteSome(db, day, surplus)) === deletedAtOnce) if (!(await sweep.mayGoOn())) return
  }
}

/** Workflows that have runs beyond their number. */
async function listSurplus(db: Db, runsKeptMax: number): Promise<Surplus[]> {
  const { rows } = await db.query<Surplus>(sql`
    select c.workflow_id as id, c.last_number - ${runsKeptMax}::integer as upto from run_counters c
    where c.last_number > ${runsKeptMax}
      and exists (select from runs r where r.workflow_id = c.workflow_id and r.run_number <= c.last_number - ${runsKeptMax}::integer and r.ended_at is not null)`)
  return rows
}

/** The tables that hold them, and how many. */
async function listDays(db: Db, surplus: readonly Surplus[]): Promise<Day[]> {
  const { rows } = await db.query<Day>(sql`
    select n.table, n.surplus, n.table >= 'runs_' || to_char(now() at time zone 'utc', 'YYYYMMDD') and n.table <> 'runs_default' as is_open
    from (
      select r.tableoid::regclass::text as table, count(*) as surplus from runs r
      join unnest(${ids(surplus)}::uuid[], ${uptos(surplus)}::integer[]) as s (id, upto) on r.workflow_id = s.id and r.run_number <= s.upto
      group by 1
    ) n order by 1`)
  return rows
}

async function isBestEmptied(db: Db, { table, surplus }: Day): Promise<boolean> {
  if (!/^runs_\d{8}$/.test(table)) return false
  const { rows } = await db.query<{ total: number }>(rawStatement(`select count(*) as total from ${table}`, []))
  const kept = (rows[0]?.total ?? 0) - surplus
  return kept <= Math.min(surplus, putBackMax)
}

/** Not while a backup is made, and not while somebody reads the day for long: the next sweep tries again. */
async function emptyDay(db: Db, { table }: Day, surplus: readonly Surplus[]): Promise<void> {
  const day = table.slice('runs_'.length)
  const tables = [`runs_${day}`, `run_blocks_${day}`, `run_writes_${day}`]
  try {
    await unlessBackup(db, async (tx) => {
      const run = (text: string, values: unknown[] = []) => tx.query(rawStatement(text, values))
      await run("set local lock_timeout = '2s'")
      await run(`lock table ${tables.join(', ')} in access exclusive mode`)
      for (const one of tables) await run(`create temporary table kept_${one} (like ${one}) on commit drop`)
      await run(
        `insert into kept_runs_${day} select * from runs_${day} r where r.ended_at is null or not exists (
           select from unnest($1::uuid[], $2::integer[]) as s (id, upto) where s.id = r.workflow_id and r.run_number <= s.upto)`,
        [ids(surplus), uptos(surplus)],
      )
      for (const one of tables.slice(1))
        await run(
          `insert into kept_${one} select o.* from ${one} o join kept_runs_${day} r on r.id = o.run_id and r.account_id = o.account_id`,
        )
      await run('select empty_run_day($1::date)', [day])
      for (const one of tables) await run(`insert into ${one} select * from kept_${one}`)
    })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
  }
}

async function deleteSome(db: Db, { table }: Day, surplus: readonly Surplus[]): Promise<number> {
  const day = table.slice('runs_'.length)
  if (!/^(\d{8}|default)$/.test(day)) throw new Error(`${table} is not a table of runs.`)
  const { rowCount } = await db.query(
    rawStatement(
      `with old as materialized (
         select r.id, r.account_id from ${table} r
         join unnest($1::uuid[], $2::integer[]) as s (id, upto) on r.workflow_id = s.id and r.run_number <= s.upto
         where r.ended_at is not null limit ${deletedAtOnce} for update of r skip locked
       ), blocks as (
         delete from run_blocks_${day} b using old where b.run_id = old.id and b.account_id = old.account_id
       ), writes as (
         delete from run_writes_${day} w using old where w.run_id = old.id and w.account_id = old.account_id
       )
       delete from ${table} r using old where r.id = old.id and r.account_id = old.account_id`,
      [ids(surplus), uptos(surplus)],
    ),
  )
  return rowCount
}

const ids = (surplus: readonly Surplus[]) => surplus.map(({ id }) => id)
const uptos = (surplus: readonly Surplus[]) => surplus.map(({ upto }) => upto)
