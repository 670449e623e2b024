// Looks after connections without being asked: tokens are renewed before calls need them, and where the application declares a test
// request it is made now and then, so that an access that was withdrawn shows before a workflow trips over it.
//   due -> job filed (with a later check as a safety net, in one transaction) -> checked, next check set
import { type Queryable, type Scope, sql } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { Recurring } from '../../lib/recurring.ts'
import type { JobQueue } from '../../queue/index.ts'
import { type SendDeps, send } from '../call/send.ts'
import { testRequestOf } from '../call/test-request.ts'
import { scheduleCheck } from '../store.ts'
import { hasToken } from '../tokens/renew-token.ts'
import { isProbed, msUntilEarlyRenewal, nextCheckInMs } from './check-interval.ts'

export const connectionCareQueue = 'connectionCare'

const sweepMs = 3_000
const sweepSize = 500
const jobsAtOnce = 4
/** Checks are mostly waiting for others, so one job makes many. */
const checksPerJob = 25

type Deps = SendDeps & { jobs: JobQueue }

type Due = Scope & { regApplicationId: string }
type Checks = { due: Due[] }

export class ConnectionHealthChecks implements AsyncDisposable {
  readonly #deps: Deps
  readonly #sweeping: Recurring

  constructor(deps: Deps) {
    this.#deps = deps
    this.#sweeping = new Recurring(() => this.#sweep(), { pauseMs: sweepMs, onFault: deps.onFault })
  }

  async start(): Promise<void> {
    await this.#deps.jobs.work<Checks>(connectionCareQueue, jobsAtOnce, async (job) => {
      const checks = await Promise.allSettled(job.data.due.map((one) => this.#check(one)))
      for (const check of checks) if (check.status === 'rejected') this.#deps.onFault(check.reason)
    })
    this.#sweeping.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #sweep(): Promise<void> {
    const { database, jobs } = this.#deps
    for (let taken = sweepSize; taken === sweepSize && !this.#sweeping.isStopping; ) {
      taken = await database.system.transaction(async (tx) => {
        const due = await takeDue(tx)
        if (due.length > 0) await jobs.sendMany(tx, connectionCareQueue, inParts(due))
        return due.length
      })
    }
    await forgetExpired(database.system)
  }

  async #check({ regApplicationId, ...scope }: Due): Promise<void> {
    const { database, opened, renewal } = this.#deps
    let found = await opened.findFresh(scope, regApplicationId)
    if (found?.isWithdrawn) return
    if (found && hasToken(found) && (found.hasTokenFault || msUntilEarlyRenewal(found) <= 0)) {
      await renewal.renew(found, found.held.generation).catch(alreadyNoted)
      found = await opened.findFresh(scope, regApplicationId)
    }
    const request = found?.application.testRequest
    if (found && request && isProbed(found)) await send(this.#deps, found, testRequestOf(request)).catch(alreadyNoted)
    const after = await opened.findFresh(scope, regApplicationId)
    if (after) await scheduleCheck(database.forScope(scope), scope.accountId, regApplicationId, nextCheckInMs(after))
  }
}

/** A refusal has become the fault of the connection; anything else is ours. */
function alreadyNoted(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}

function inParts(due: readonly Due[]): { data: Checks }[] {
  const count = Math.ceil(due.length / checksPerJob)
  return Array.from({ length: count }, (_, part) => ({
    data: { due: due.slice(part * checksPerJob, (part + 1) * checksPerJob) },
  }))
}

async function takeDue(tx: Queryable): Promise<Due[]> {
  const { rows } = await tx.query<{ id: string; account_id: string; organization_id: string }>(sql`
    with due as (
      select id from registered_applications where next_check_at <= now() and is_authenticated
      order by next_check_at limit ${sweepSize} for update skip locked)
    update registered_applications r set next_check_at = now() + interval '5 minutes'
    from due where r.id = due.id
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
    db.query(sql`delete from take_back_links where expires_at < now()`),
  ])
}
