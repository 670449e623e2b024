// The statements that bring the times of a table in line with a clock that jumped.
import { rawStatement, type Statement } from '../db/index.ts'
import { type TimeRule, timeColumns } from './time-columns.ts'

/** Negative: the clock was set back. `$1` is that many milliseconds. */
type Repair = (shiftMs: number) => string | undefined

const shift = "$1::bigint * interval '1 millisecond'"
/** What was still ahead before the jump. */
const wasAhead = (column: string) => `${column} > now() - greatest($1::bigint, 0) * interval '1 millisecond'`

/** Numbers are the server's time too: until when the calls that an application allows are taken. */
const repairsOfNumbers: Readonly<Record<string, Repair>> = {
  call_rates: () => `update call_rates set last_ms = last_ms + $1::bigint,
    starts = array(select start + $1::bigint from unnest(starts) with ordinality as s (start, place) order by place)
    where last_ms > extract(epoch from clock_timestamp()) * 1000 - abs($1::bigint) - 86400000`,
}

/** Tables in which a jump by so much has anything to move. */
export function listRepairedTables(shiftMs: number): string[] {
  const tables = [...Object.keys(timeColumns), ...Object.keys(repairsOfNumbers)]
  return tables.filter((table) => repairsOf(table, shiftMs).length > 0)
}

export function repairsOf(table: string, shiftMs: number): Statement[] {
  const columns = timeColumns[table] ?? {}
  const texts = Object.entries(columns).map(([column, rule]) => {
    const companions = Object.keys(columns).filter((other) => isWith(columns[other], column))
    return repairOf(rule, { table, column, companions })?.(shiftMs)
  })
  return [...texts, repairsOfNumbers[table]?.(shiftMs)].flatMap((text) =>
    text === undefined ? [] : [rawStatement(text, text.includes('$1') ? [shiftMs] : [])],
  )
}

type Place = { table: string; column: string; companions: string[] }

function repairOf(rule: TimeRule, { table, column, companions }: Place): Repair | undefined {
  const moved = [column, ...companions].map((one) => `${one} = ${one} + ${shift}`).join(', ')
  const moveWaiting = `update ${table} set ${moved} where ${wasAhead(column)}`
  switch (rule) {
    case 'waits':
      return () => moveWaiting
    case 'expires':
      return (shiftMs) => (shiftMs < 0 ? moveWaiting : undefined)
    case 'since':
      return () => `update ${table} set ${moved}`
    case 'latest':
      // Moved, not set to now, so that what came first stays first.
      return (shiftMs) =>
        shiftMs < 0
          ? `update ${table} set ${column} = least(now(), ${column} + ${shift}) where ${column} > now()`
          : undefined
    case 'schedule':
      return (shiftMs) => (shiftMs < 0 ? findTicksAnew : undefined)
    default:
      return undefined
  }
}

function isWith(rule: TimeRule | undefined, column: string): boolean {
  return typeof rule === 'object' && rule.with === column
}

/**
 * Due at once, with nothing missed: the scheduler then finds the first tick from now on. A tick that has already started a run stays where it is when
 * the schedule waits less than one of its own intervals longer than usual; no tick then starts two. Where the clock went back over several ticks,
 * those times come again and count again: the alternative is a schedule that stands still for as long as the jump.
 */
const findTicksAnew = `update workflows set next_run_at = now(), schedule_last_tick = least(schedule_last_tick, now())
  where is_scheduled and next_run_at > now()
    and (schedule_last_tick is null or schedule_last_tick <= now() or next_run_at - schedule_last_tick <= -1 * ${shift})`
