// Revisions that were replaced long ago go. The current one stays, and so does every one that a run or an upgrade which is still kept may name.
import { type Database, sql } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'

const sweepMs = 12 * 3_600_000
const deletedAtOnce = 2000

export class RevisionRetention implements AsyncDisposable {
  readonly #database: Database
  readonly #daysKept: number
  readonly #sweeping: Recurring

  /** `daysKept`: after a revision was replaced. Runs and upgrades, which are kept for `runDaysKept`, name revisions. */
  constructor(
    database: Database,
    { daysKept, runDaysKept }: { daysKept: number; runDaysKept: number },
    onFault: (error: unknown) => void,
  ) {
    this.#database = database
    this.#daysKept = Math.max(daysKept, runDaysKept + 2)
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  start(): void {
    this.#sweeping.start()
  }

  async sweep(): Promise<void> {
    while (!this.#sweeping.isStopping && (await this.#deleteSome()) === deletedAtOnce);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #deleteSome(): Promise<number> {
    const { rowCount } = await this.#database.system.query(sql`
      with old as materialized (
        select r.workflow_id, r.revision, r.account_id from workflow_revisions r
        join workflows w on w.id = r.workflow_id and w.account_id = r.account_id and w.revision > r.revision
        where r.created_at < now() - ${this.#daysKept}::integer * interval '1 day' and exists (
          select from workflow_revisions n where n.workflow_id = r.workflow_id and n.revision > r.revision
            and n.created_at < now() - ${this.#daysKept}::integer * interval '1 day')
        limit ${deletedAtOnce}
      )
      delete from workflow_revisions r using old
      where r.workflow_id = old.workflow_id and r.revision = old.revision and r.account_id = old.account_id`)
    return rowCount
  }
}
