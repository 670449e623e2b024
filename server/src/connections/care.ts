// Looks after connections without being asked: tokens are renewed before calls need them, and where the application declares a test
// request it is made now and then, so that an access that was withdrawn shows before a workflow trips over it.
//   due -> job filed (with a later check as a safety net, in one transaction) -> checked, next check set
import { type Queryable, type Scope, sql } from '../db/index.ts'
import type { JobQueue } from '../queue/index.ts'
import { isProbed, msUntilEarlyRenewal, nextCheckInMs } from './check-times.ts'
import { hasToken } from './renew-token.ts'
import { type SendDeps, send } from './send.ts'
import { scheduleCheck } from './store.ts'
import { testRequestOf } from './test-connection.ts'

export const connectionCareQueue = 'connectionCare'

const sweepMs = 3_000
const sweepSize = 500
const jobsAtOnce = 8

type Deps = SendDeps & { jobs: JobQueue }

type Due = Scope & { regApplicationId: string }

export class ConnectionCare implements AsyncDisposable {
  readonly #deps: Deps
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    await this.#deps.jobs.work<Due>(connectionCareQueue, jobsAtOnce, (job) => this.#check(job.data))
    this.#sweepLater()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#sweeping
  }

  /** The next sweep waits for this one, so that a slow database is not asked twice at once. */
  #sweepLater(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep()
        .catch(this.#deps.onFault)
        .finally(() => this.#sweepLater())
    }, sweepMs)
  }

  async #sweep(): Promise<void> {
    const { database, jobs } = this.#deps
    for (let taken = sweepSize; taken === sweepSize && !this.#isStopped; ) {
      taken = await database.system.transaction(async (tx) => {
        const due = await takeDue(tx)
        if (due.length > 0)
          await jobs.sendMany(
            tx,
            connectionCareQueue,
            due.map((data) => ({ data })),
          )
        return due.length
      })
    }
    await forgetExpired(database.system)
  }

  async #check({ regApplicationId, ...scope }: Due): Promise<void> {
    const { database, opened, renewal } = this.#deps
    const found = await opened.findFresh(scope, regApplicationId)
    if (!found) return
    // What fails here has noted its fault already; what is left is the time of the next check.
    if (hasToken(found) && msUntilEarlyRenewal(found) <= 0) {
      await renewal.renew(found, found.held.generation).catch(() => undefined)
    }
    const current = (await opened.findFresh(scope, regApplicationId)) ?? found
    const request = current.application.testRequest
    if (request && isProbed(current)) await send(this.#deps, current, testRequestOf(request)).catch(() => undefined)
    const after = await opened.findFresh(scope, regApplicationId)
    if (after) await scheduleCheck(database.forScope(scope), scope.accountId, regApplicationId, nextCheckInMs(after))
  }
}

async function takeDue(tx: Queryable): Promise<Due[]> {
  const { rows } = await tx.query<{ id: string; account_id: string; organization_id: string }>(sql`
    with due as (
      select id from registered_applications where next_check_at <= now() and is_authenticated
      order by next_check_at limit ${sweepSize} for update skip locked)
    update registered_applications r set next_check_at = now() + interval '5 minutes'
    from due, accounts a where r.id = due.id and a.id = r.account_id
    returning r.id, r.account_id, r.organization_id`)
  return rows.map((row) => ({
    regApplicationId: row.id,
    accountId: row.account_id,
    organizationId: row.organization_id,
  }))
}

async function forgetExpired(db: Queryable): Promise<void> {
  await Promise.all([
    db.query(sql`delete from oauth_states where expires_at < now() - interval '1 hour'`),
    db.query(sql`delete from reconnect_links where expires_at < now()`),
  ])
}
