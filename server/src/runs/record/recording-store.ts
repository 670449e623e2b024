import type { Contents } from '../../contents/index.ts'
import { inOrder, type Queryable, sql } from '../../db/index.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import { explainUnrecorded, type RunRecording } from '../recording/run-tape.ts'
import type { Tape } from '../recording/tape.ts'
import { decodeTape } from '../recording/tape-format.ts'
import { type Column, columnArrays, unnestText } from './row-arrays.ts'

type Ended = { runId: string; accountId: string; workflowId: string; runNumber: number; recording: RunRecording }

export type SealedRecording = Omit<Ended, 'recording'> & {
  runsKept: number
  sealed: Buffer | null
  problem: string | null
}

type SealDeps = { keyRing: KeyRing; contents: Pick<Contents, 'keepSealed'>; onFault(error: unknown): void }

/**
 * Of many runs of one workflow that end together only the newest are written: the others would be removed at once. Never rejects: a run that
 * cannot be recorded is not replayable, and that is all.
 */
export async function sealRecordings(deps: SealDeps, ended: readonly Ended[]): Promise<SealedRecording[]> {
  const kept = [...Map.groupBy(ended, ({ workflowId }) => workflowId).values()].flatMap((those) =>
    those.length === 1
      ? those
      : those.toSorted((one, other) => other.runNumber - one.runNumber).slice(0, those[0]?.recording.runsKept),
  )
  return Promise.all(
    kept.map(async ({ recording, ...run }) => {
      const { runsKept } = recording
      try {
        return { ...run, runsKept, ...(await sealRecording(deps, run, recording)) }
      } catch (error) {
        deps.onFault(error)
        return { ...run, runsKept, problem: explainUnrecorded(error), sealed: null }
      }
    }),
  )
}

async function sealRecording(
  { keyRing, contents }: SealDeps,
  run: { runId: string; accountId: string },
  { problem, encode }: RunRecording,
): Promise<Pick<SealedRecording, 'problem' | 'sealed'>> {
  if (problem !== null) return { problem, sealed: null }
  const place = placeOf(run)
  return { problem, sealed: await contents.keepSealed(place, await keyRing.seal(place, encode())) }
}

const columns: readonly Column<SealedRecording>[] = [
  ['run_id', 'uuid', ({ runId }) => runId],
  ['account_id', 'uuid', ({ accountId }) => accountId],
  ['workflow_id', 'uuid', ({ workflowId }) => workflowId],
  ['run_number', 'integer', ({ runNumber }) => runNumber],
  ['sealed_tape', 'bytea', ({ sealed }) => sealed],
  ['problem', 'text', ({ problem }) => problem],
]

const insertText = `
  insert into run_recordings (run_id, account_id, workflow_id, run_number, sealed_tape, problem)
  select * from ${unnestText(columns, 'i')} on conflict do nothing`

/** The caller holds the rows of the workflows, so nobody else removes recordings of theirs meanwhile. */
export async function insertRecordings(tx: Queryable, recordings: readonly SealedRecording[]): Promise<void> {
  if (recordings.length === 0) return
  const kept = new Map(recordings.map(({ workflowId, runsKept }) => [workflowId, runsKept]))
  const values = columnArrays(columns, recordings)
  // Counted with those that just came.
  await inOrder(tx, [
    (db) => db.query({ toQuery: () => ({ name: 'insert_recordings', text: insertText, values }) }),
    (db) => deleteOlder(db, kept),
  ])
}

async function deleteOlder(tx: Queryable, kept: ReadonlyMap<string, number>): Promise<void> {
  await tx.query(sql`
    delete from run_recordings where run_id in (
      select o.run_id
      from unnest(${[...kept.keys()]}::uuid[], ${[...kept.values()]}::integer[]) as i (workflow_id, kept)
      cross join lateral (
        -- In the order of the index, which leaves out at once what was removed before; a scan of the range would visit all of it again.
        select r.run_id from run_recordings r where r.workflow_id = i.workflow_id order by r.run_number desc offset i.kept limit 1000
      ) o
    )`)
}

export type StoredRecording = { runNumber: number; sealed: Buffer | null; problem: string | null }

export async function listRecordings(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumbers: readonly number[],
): Promise<StoredRecording[]> {
  const { rows } = await db.query<{ run_number: number; sealed_tape: Buffer | null; problem: string | null }>(sql`
    select run_number, sealed_tape, problem from run_recordings
    where workflow_id = ${workflowId} and account_id = ${accountId} and run_number = any(${runNumbers}::integer[])`)
  return rows.map((row) => ({ runNumber: row.run_number, sealed: row.sealed_tape, problem: row.problem }))
}

/** Numbers of the newest recorded runs, newest first. */
export async function listRecorded(
  db: Queryable,
  accountId: string,
  workflowId: string,
  count: number,
): Promise<number[]> {
  const { rows } = await db.query<{ run_number: number }>(sql`
    select run_number from run_recordings where workflow_id = ${workflowId} and account_id = ${accountId}
    order by run_number desc limit ${count}`)
  return rows.map((row) => row.run_number)
}

export async function openTape(
  keyRing: KeyRing,
  run: { runId: string; accountId: string },
  sealed: Buffer,
): Promise<Tape> {
  return decodeTape(await keyRing.open(placeOf(run), sealed))
}

function placeOf({ runId, accountId }: { runId: string; accountId: string }): Place {
  return { table: 'run_recordings', column: 'sealed_tape', rowId: runId, accountId }
}
