// What the blocks of a run wait for, and runs that are put aside meanwhile. Written by whoever holds the run; each write is fenced like a record.
import { type Database, type Queryable, sql } from '../../db/index.ts'
import type { JobQueue } from '../../queue/index.ts'
import { type RunClaim, runQueue } from '../run.ts'

export type WaitKind = 'retry' | 'time' | 'event' | 'approval' | 'subWorkflow' | 'limit'

export type RunWait = {
  blockId: string
  /** -1 for the block itself. */
  itemIndex: number
  kind: WaitKind
  dueAt: Date | null
  /** JSON text. */
  details: string
  /** JSON text, once it is over. */
  outcome: string | null
  /** Of an item, where it is known. */
  itemKey?: string
}

/** What a history shows of a run that waits. */
export type WaitingFor = {
  kind: WaitKind
  uniqueBlockId: string
  itemKey: string | null
  untilDateTimeUTC: string | null
}

type Parked = { accountId: string; workflowId: string; runNumber: number; dueAt: Date | null; waitingFor: WaitingFor }

export class RunWaits {
  readonly #database: Database
  readonly #jobs: JobQueue

  constructor(database: Database, jobs: JobQueue) {
    this.#database = database
    this.#jobs = jobs
  }

  list(accountId: string, runId: string): Promise<RunWait[]> {
    return listWaits(this.#database.system, accountId, runId)
  }

  /** False when another worker owns the run now. */
  put(claim: RunClaim, accountId: string, wait: Omit<RunWait, 'outcome'>): Promise<boolean> {
    return insertWait(this.#database.system, claim, accountId, wait)
  }

  /**
   * The time of a wait that somebody else might have ended is over. Returns how it ended: whoever comes first decides. An approval is locked before its
   * wait, as by those who decide.
   */
  async expire(claim: RunClaim, wait: Pick<RunWait, 'blockId' | 'itemIndex'>, timedOut: string): Promise<string> {
    const { runId } = claim
    const { blockId, itemIndex } = wait
    const mine = sql`run_id = ${runId} and block_id = ${blockId} and item_index = ${itemIndex}`
    return this.#database.system.transaction(async (tx) => {
      const { rowCount } = await tx.query(sql`
        select from runs where id = ${runId} and attempt = ${claim.attempt} and ended_at is null for no key update`)
      // Another worker owns the run: what is said here is recorded nowhere.
      if (rowCount === 0) return timedOut
      await tx.query(sql`select from approvals where ${mine} for update`)
      if (await resolveWait(tx, { runId, blockId, itemIndex }, timedOut)) {
        await tx.query(sql`update approvals set outcome = 'timedOut' where ${mine} and outcome is null`)
        return timedOut
      }
      const { rows } = await tx.query<{ outcome: string | null }>(sql`select outcome from run_waits where ${mine}`)
      return rows[0]?.outcome ?? timedOut
    })
  }

  /** The claim ends and nothing is held until the wait is over. `stopping`: somebody stops the run, so it is not put aside. */
  async park(claim: RunClaim, parked: Parked): Promise<'parked' | 'lost' | 'stopping'> {
    const { accountId, workflowId, runNumber, dueAt, waitingFor } = parked
    return this.#database.system.transaction(async (tx) => {
      // The job first, as everybody does who settles a run with its job.
      const mine = await this.#jobs.park(tx, runQueue, [{ id: claim.runId, attempt: claim.attempt }], dueAt)
      if (!mine.has(claim.runId)) return 'lost'
      const { rows } = await tx.query<{ status: string }>(sql`
        update runs set status = case when status = 'Stopping' then status else 'Waiting' end, waiting_for = ${JSON.stringify(waitingFor)},
          is_handed_back = true, under_way = null
        where id = ${claim.runId} and attempt = ${claim.attempt} and ended_at is null returning status`)
      if (!rows[0]) return 'lost'
      if (rows[0].status === 'Stopping') {
        // Whoever takes it next ends it.
        await this.#jobs.wake(tx, runQueue, [claim.runId])
        return 'stopping'
      }
      await tx.query(sql`
        update workflows set last_run_number = ${runNumber}, last_run_status = 'Waiting'
        where id = ${workflowId} and account_id = ${accountId} and coalesce(last_run_number, 0) <= ${runNumber}`)
      return 'parked'
    })
  }
}

/** False when another worker owns the run now. */
export async function insertWait(
  db: Queryable,
  claim: RunClaim,
  accountId: string,
  wait: Omit<RunWait, 'outcome'>,
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    insert into run_waits (run_id, block_id, item_index, account_id, kind, due_at, details)
    select r.id, ${wait.blockId}, ${wait.itemIndex}, ${accountId}, ${wait.kind}, ${wait.dueAt}, ${wait.details}
    from runs r where r.id = ${claim.runId} and r.attempt = ${claim.attempt} and r.ended_at is null for no key update
    on conflict (run_id, block_id, item_index)
      do update set kind = excluded.kind, due_at = excluded.due_at, details = excluded.details, outcome = null`)
  return rowCount > 0
}

/** False when it is over already, or nobody waits any more. `outcome` is JSON text. */
export async function resolveWait(
  tx: Queryable,
  { runId, blockId, itemIndex }: { runId: string; blockId: string; itemIndex: number },
  outcome: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update run_waits set outcome = ${outcome}
    where run_id = ${runId} and block_id = ${blockId} and item_index = ${itemIndex} and outcome is null`)
  return rowCount > 0
}

async function listWaits(db: Queryable, accountId: string, runId: string): Promise<RunWait[]> {
  const { rows } = await db.query<{
    block_id: string
    item_index: number
    kind: WaitKind
    due_at: Date | null
    details: string
    outcome: string | null
  }>(sql`
    select block_id, item_index, kind, due_at, details, outcome from run_waits
    where run_id = ${runId} and account_id = ${accountId} order by block_id, item_index`)
  return rows.map((row) => ({
    blockId: row.block_id,
    itemIndex: row.item_index,
    kind: row.kind,
    dueAt: row.due_at,
    details: row.details,
    outcome: row.outcome,
  }))
}

/** A run that is over waits for nothing. */
export async function deleteWaits(db: Queryable, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return
  await db.query(sql`
    with closed as (
      update approvals set outcome = 'stopped' where run_id = any(${runIds}::uuid[]) and outcome is null
    )
    delete from run_waits where run_id = any(${runIds}::uuid[])`)
}
