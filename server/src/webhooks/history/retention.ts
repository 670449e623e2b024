// What is kept of webhooks, and for how long: requests and their history by the day, delivery ids for a week. A request that waits is kept
// until it is done, unless its workflow is archived: those wait as long as history is kept, in case somebody wants to see them.
import { type Database, type Sql, sql, type Tx, unlessBackup } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'
import { deleteOldRefusals } from '../intake/refusal-store.ts'
import { shareOrder } from '../queue/locks.ts'
import { leaveQueue } from '../queue/settle-store.ts'
import { deliveryDays } from '../request/delivery-days.ts'

const sweepMs = 10 * 60_000
const daysAhead = 7
const deletedAtOnce = 10_000
const givenUpAtOnce = 500

export class WebhookRetention implements AsyncDisposable {
  readonly #database: Database
  readonly #daysKept: number
  readonly #sweeping: Recurring

  constructor(database: Database, daysKept: number, onFault: (error: unknown) => void) {
    this.#database = database
    this.#daysKept = daysKept
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  async start(): Promise<void> {
    await this.#ensurePartitions()
    this.#sweeping.start()
  }

  async sweep(): Promise<void> {
    const { system } = this.#database
    await this.#ensurePartitions()
    while (!this.#sweeping.isStopping && (await this.#giveUpArchived()) === givenUpAtOnce);
    await this.#dropDays()
    // What is as old and still here lies in the partitions for days that nobody made one for.
    const keptFrom = sql`first_webhook_id((now() at time zone 'utc')::date - ${this.#daysKept}::integer)`
    // History first: it waits for replays that are taking something from it, so that what they put back into the queue is seen.
    await system.query(sql`delete from webhook_history_default where webhook_id < ${keptFrom}`)
    await system.query(sql`
      delete from webhook_requests_default where id < ${keptFrom} and id not in (select webhook_id from webhook_queue where webhook_id < ${keptFrom})`)
    while (!this.#sweeping.isStopping && (await this.#forgetDeliveries()) === deletedAtOnce);
    while (!this.#sweeping.isStopping && (await this.#forgetAnswers()) === deletedAtOnce);
    await deleteOldRefusals(system, this.#daysKept)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #ensurePartitions(): Promise<void> {
    await unlessBackup(this.#database.system, async (tx) => {
      await tx.query(sql`select ensure_webhook_partitions(${daysAhead})`)
    })
  }

  async #giveUpArchived(): Promise<number> {
    const { rows } = await this.#database.system.query<{ workflow_id: string; webhook_id: string }>(sql`
      select q.workflow_id, q.webhook_id from workflows w join webhook_queue q on q.account_id = w.account_id and q.workflow_id = w.id
      where w.state = 'archived' and q.status <> 'Processing'
        and q.webhook_id < first_webhook_id((now() at time zone 'utc')::date - ${this.#daysKept}::integer)
      order by q.workflow_id, q.seq limit ${givenUpAtOnce}`)
    if (rows.length === 0) return 0
    await this.#database.system.transaction(async (tx) => {
      await shareOrder(tx, [...new Set(rows.map((row) => row.workflow_id))])
      const errorMessage = 'The workflow is archived.'
      await leaveQueue(
        tx,
        rows.map((row) => ({ webhookId: row.webhook_id, status: 'Skipped' as const, errorMessage })),
      )
    })
    return rows.length
  }

  /** A day of which a request still waits stays whole. */
  async #dropDays(): Promise<void> {
    const { rows } = await this.#database.system.query<{ day: string }>(sql`
      select d.day::text as day from (
        select to_date(right(c.relname, 8), 'YYYYMMDD') as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'webhook_requests'::regclass and c.relname ~ '^webhook_requests_\\d{8}$'
      ) d
      where d.day < (now() at time zone 'utc')::date - ${this.#daysKept}::integer
        and not ${waits(sql`d.day`)}
      order by d.day`)
    for (const { day } of rows) await unlessBackup(this.#database.system, (tx) => dropDay(tx, day))
  }

  /** Nobody who repeats a delivery later is recognized. */
  async #forgetAnswers(): Promise<number> {
    const { rowCount } = await this.#database.system.query(sql`
      delete from webhook_answers where webhook_id = any(array(
        select webhook_id from webhook_answers where created_at < now() - ${deliveryDays}::integer * interval '1 day' limit ${deletedAtOnce}))`)
    return rowCount
  }

  async #forgetDeliveries(): Promise<number> {
    const { rowCount } = await this.#database.system.query(sql`
      delete from webhook_deliveries where ctid = any(array(
        select ctid from webhook_deliveries where created_at < now() - ${deliveryDays}::integer * interval '1 day' limit ${deletedAtOnce}))`)
    return rowCount
  }
}

/** Whether a request of the day is in the queue. */
function waits(day: Sql): Sql {
  return sql`exists (select from webhook_queue q where q.webhook_id >= first_webhook_id(${day}) and q.webhook_id < first_webhook_id(${day} + 1))`
}

/** Dropping waits for replays under way. Only then is it known whether one has put a request of the day back into the queue. */
async function dropDay(tx: Tx, day: string): Promise<void> {
  await tx.query(sql`savepoint before_drop`)
  await tx.query(sql`select drop_webhook_day(${day}::date)`)
  const { rows } = await tx.query<{ waits: boolean }>(sql`select ${waits(sql`${day}::date`)} as waits`)
  if (rows[0]?.waits) await tx.query(sql`rollback to savepoint before_drop`)
}
