// Jobs that are filed, and those that are not wanted any more.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../db/index.ts'
import type { NewJob } from './job.ts'
import { preparedStatement } from './prepared-statement.ts'

/** One that is there already stays as it is. */
const insertText = `
  insert into patchbay.jobs (queue, id, group_id, data, state, due_at)
  select $1, id, group_id, data::jsonb, case when due_at is null then 'waiting' else 'parked' end, due_at
  from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) as n (id, group_id, data, due_at)
  on conflict do nothing`

const withdrawText = "delete from patchbay.jobs where queue = $1 and id = $2 and state <> 'active' returning id"

const withdrawAllText = "delete from patchbay.jobs where queue = $1 and id = any ($2::uuid[]) and state <> 'active'"

const activeText = "select id from patchbay.jobs where queue = $1 and id = any ($2::uuid[]) and state = 'active'"

const deleteText = 'delete from patchbay.jobs where queue = $1 and id = any ($2::uuid[])'

export async function insertJobs(tx: Queryable, queue: string, jobs: readonly NewJob[]): Promise<void> {
  const values = [
    queue,
    jobs.map(({ id }) => id ?? randomUUID()),
    jobs.map(({ groupId }) => groupId ?? null),
    jobs.map(({ data }) => (data === undefined ? null : JSON.stringify(data))),
    jobs.map(({ startAfter }) => startAfter ?? null),
  ]
  await tx.query(preparedStatement(insertText, values))
}

/** False when somebody works on it, or it is not there. */
export async function withdrawJob(tx: Queryable, queue: string, id: string): Promise<boolean> {
  return (await tx.query<{ id: string }>(preparedStatement(withdrawText, [queue, id]))).rows.length > 0
}

/** Those that somebody works on stay. */
export async function withdrawJobs(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
  await tx.query(preparedStatement(withdrawAllText, [queue, ids]))
}

export async function listActiveJobs(db: Queryable, queue: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(preparedStatement(activeText, [queue, ids]))
  return rows.map(({ id }) => id)
}

export async function deleteJobs(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
  await tx.query(preparedStatement(deleteText, [queue, ids]))
}
