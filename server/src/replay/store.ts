import type { ReplayOutcome } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

export type StoredReplay = {
  id: string
  accountId: string
  workflowId: string
  state: 'Running' | 'Completed' | 'Failed'
  sealedRequest: Buffer
}

export async function insertReplay(tx: Queryable, replay: Omit<StoredReplay, 'state'>): Promise<void> {
  const { id, accountId, workflowId, sealedRequest } = replay
  await tx.query(sql`
    insert into replays (id, account_id, workflow_id, sealed_request)
    values (${id}, ${accountId}, ${workflowId}, ${sealedRequest})`)
}

export async function insertReplayRuns(
  tx: Queryable,
  { id, accountId }: Pick<StoredReplay, 'id' | 'accountId'>,
  runNumbers: readonly number[],
): Promise<void> {
  await tx.query(sql`
    insert into replay_runs (replay_id, position, account_id, run_number)
    select ${id}, n.position, ${accountId}, n.run_number
    from unnest(${runNumbers}::integer[]) with ordinality as n (run_number, position)`)
}

export async function countRunning(tx: Queryable, accountId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from replays
    where account_id = ${accountId} and state = 'Running' and created_at > now() - interval '1 day'`)
  return rows[0]?.count ?? 0
}

/** Undefined when it is older than a day: it is kept no longer, whether it was removed already or not. */
export async function findReplay(db: Queryable, id: string): Promise<StoredReplay | undefined> {
  const { rows } = await db.query<{
    id: string
    account_id: string
    workflow_id: string
    state: StoredReplay['state']
    sealed_request: Buffer
  }>(sql`
    select id, account_id, workflow_id, state, sealed_request from replays
    where id = ${id} and created_at > now() - interval '1 day'`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      workflowId: row.workflow_id,
      state: row.state,
      sealedRequest: row.sealed_request,
    }
  )
}

export type StoredReplayRun = {
  position: number
  runNumber: number
  outcome: ReplayOutcome | null
  sealed: Buffer | null
}

export async function listReplayRuns(db: Queryable, accountId: string, replayId: string): Promise<StoredReplayRun[]> {
  const { rows } = await db.query<{
    position: number
    run_number: number
    outcome: ReplayOutcome | null
    sealed_result: Buffer | null
  }>(sql`
    select position, run_number, outcome, sealed_result from replay_runs
    where replay_id = ${replayId} and account_id = ${accountId} order by position`)
  return rows.map((row) => ({
    position: row.position,
    runNumber: row.run_number,
    outcome: row.outcome,
    sealed: row.sealed_result,
  }))
}

/** Those that have no result yet. */
export async function listWaitingRuns(
  db: Queryable,
  accountId: string,
  replayId: string,
): Promise<Pick<StoredReplayRun, 'position' | 'runNumber'>[]> {
  const { rows } = await db.query<{ position: number; run_number: number }>(sql`
    select position, run_number from replay_runs
    where replay_id = ${replayId} and account_id = ${accountId} and outcome is null order by position`)
  return rows.map((row) => ({ position: row.position, runNumber: row.run_number }))
}

export type ReplayedPosition = { replayId: string; position: number; outcome: ReplayOutcome; sealed: Buffer }

/** One answer for each; a result that is there already stays. */
export async function updateReplayRuns(db: Queryable, results: readonly ReplayedPosition[]): Promise<undefined[]> {
  await db.query(sql`
    update replay_runs r set outcome = i.outcome, sealed_result = i.sealed
    from unnest(
      ${results.map(({ replayId }) => replayId)}::uuid[],
      ${results.map(({ position }) => position)}::integer[],
      ${results.map(({ outcome }) => outcome)}::text[],
      ${results.map(({ sealed }) => sealed)}::bytea[]
    ) as i (replay_id, position, outcome, sealed)
    where r.replay_id = i.replay_id and r.position = i.position and r.outcome is null`)
  return results.map(() => undefined)
}

export async function endReplay(db: Queryable, id: string, state: 'Completed' | 'Failed'): Promise<void> {
  await db.query(sql`update replays set state = ${state} where id = ${id} and state = 'Running'`)
}

export async function deleteOldReplays(db: Queryable): Promise<void> {
  await db.query(sql`delete from replays where created_at < now() - interval '1 day'`)
}
