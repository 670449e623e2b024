/**
 * A server's clock may be set back, by an operator or by a failover to a machine whose clock is behind. Times that were written before then lie in the
 * future: jobs would not start, and those of dead workers would not be taken over, until the clock has caught up. They are moved to now.
 */
import { type Database, rawStatement } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { ClockComparison } from './clock-comparison.ts'
import { schema } from './install-queues.ts'

const lookMs = 3000

const repairs = [
  `update ${schema}.job_common set heartbeat_on = least(heartbeat_on, now()), started_on = least(started_on, now())
   where state = 'active' and greatest(heartbeat_on, started_on) > now()`,
  `update ${schema}.job_common set start_after = case when created_on > now() then now() + (start_after - created_on) else now() end, created_on = least(created_on, now())
   where state < 'active' and (created_on > now() or state = 'retry' and start_after > now() + interval '15 minutes')`,
  `update ${schema}.queue set monitor_claim_on = least(monitor_claim_on, now()), monitor_on = least(monitor_on, now()), maintain_on = least(maintain_on, now())
   where greatest(monitor_claim_on, monitor_on, maintain_on) > now()`,
]

export class ClockWatch implements AsyncDisposable {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #looking: Recurring
  readonly #comparison = new ClockComparison()
  /** Nobody may have been there to see the clock being set back, so the first look repairs as well. Until it is done, the next one tries again. */
  #isRepairDue = true

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault })
  }

  start(): void {
    this.#looking.startNow()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#looking[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const askedMs = performance.now()
    const { rows } = await this.#database.system.query<{ ms: number }>(
      rawStatement('select extract(epoch from clock_timestamp())::float8 * 1000 as ms', []),
    )
    const backMs = this.#comparison.compare({ askedMs, databaseMs: rows[0]?.ms ?? 0, answeredMs: performance.now() })
    if (backMs > 0) {
      this.#isRepairDue = true
      const seconds = Math.round(backMs / 1000)
      this.#onFault(
        new Error(`The clock of the database was set back by ${seconds} s. Waiting jobs are moved with it.`),
      )
    }
    if (!this.#isRepairDue) return
    for (const repair of repairs) await this.#database.system.query(rawStatement(repair, []))
    this.#isRepairDue = false
  }
}
