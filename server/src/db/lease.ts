/**
 * Work that one process of all does at a time, for as long as it takes. A lock would need a session of its own for that time; a lease is renewed
 * between two pieces of the work, and whoever finds it expired takes it.
 */
import { randomUUID } from 'node:crypto'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

export class Lease {
  readonly #db: Queryable
  readonly #name: string
  readonly #holder = randomUUID()
  readonly #seconds: number

  /** `seconds`: longer than any piece of the work. */
  constructor(db: Queryable, name: string, seconds: number) {
    this.#db = db
    this.#name = name
    this.#seconds = seconds
  }

  /** True while it is ours. One that lasts longer than a lease can was written under a clock that has been set back since. */
  async hold(): Promise<boolean> {
    const { rowCount } = await this.#db.query(sql`
      insert into leases as l (name, holder, until) values (${this.#name}, ${this.#holder}, now() + ${this.#seconds}::integer * interval '1 second')
      on conflict (name) do update set holder = excluded.holder, until = excluded.until
      where l.holder = excluded.holder or l.until < now() or l.until > excluded.until + interval '1 second'`)
    return rowCount > 0
  }

  async release(): Promise<void> {
    await this.#db.query(sql`delete from leases where name = ${this.#name} and holder = ${this.#holder}`)
  }
}
