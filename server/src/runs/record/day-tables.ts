/**
 * The table that holds a run, known from its id, which begins with its time. Asking the server for it with every run would make it look through
 * the tables of all days.
 */
import { type Queryable, sql } from '../../db/index.ts'

const defaultTable = 'runs_default'

export class DayTables {
  readonly #db: Queryable
  /** A day that has a table keeps it for as long as a run of it is under way; one that has none may get it. So only names that exist are kept. */
  #known = new Set<string>()

  constructor(db: Queryable) {
    this.#db = db
  }

  async find(runId: string): Promise<string> {
    const [[table] = [defaultTable]] = await this.group([runId])
    return table
  }

  /** Ids by the table that holds them. */
  async group(runIds: readonly string[]): Promise<[string, string[]][]> {
    if (runIds.some((id) => !this.#known.has(dayTableOf(id)))) await this.#learn()
    return [
      ...Map.groupBy(runIds, (id) => {
        const table = dayTableOf(id)
        return this.#known.has(table) ? table : defaultTable
      }),
    ]
  }

  async #learn(): Promise<void> {
    const { rows } = await this.#db.query<{ name: string }>(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'patchbay.runs'::regclass`)
    this.#known = new Set(rows.map(({ name }) => name))
  }
}

/** Days are those of UTC. */
export function dayTableOf(runId: string): string {
  const ms = Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16)
  // An id that another program made up may lie beyond every calendar.
  if (ms > 8.64e15) return defaultTable
  return `runs_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`
}
