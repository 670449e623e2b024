import { type AnswerOf, type BodyOf, type Operations, readPage } from '@patchbay/contract'
import { type Principal, reachOf } from '../access/index.ts'
import { type Queryable, readOneMoment, sql } from '../db/index.ts'
import { listAttention } from './attention.ts'
import { groupIncidents, type Incident } from './group-incidents.ts'
import type { OverviewDeps } from './overview.ts'

/** A bad day has thousands of entries and a handful of causes. */
const entriesMax = 5_000

export async function listIncidents(
  { database, quotas }: OverviewDeps,
  principal: Principal,
  body: BodyOf<Operations['Incidents']>,
): Promise<AnswerOf<Operations['Incidents']>> {
  const reach = reachOf(principal, body.acrossAccounts)
  const { page, size } = readPage(body)
  const incidents = await readOneMoment(database.system, async (db) => {
    const entries = await listAttention(db, reach, quotas, entriesMax)
    const faulted = entries.filter(({ kind }) => kind === 'connection.faulted').map(({ targetId }) => targetId)
    return groupIncidents(entries, await listPausedBy(db, faulted))
  })
  return { items: incidents.slice(page * size, (page + 1) * size), total: incidents.length }
}

/** Deployed workflows that need these connections, by connection. */
async function listPausedBy(db: Queryable, regApplicationIds: readonly string[]) {
  const paused = new Map<string, Incident['workflows'][number][]>()
  if (regApplicationIds.length === 0) return paused
  const { rows } = await db.query<{ connection: string; id: string; name: string; account_id: string }>(sql`
    select u.target as connection, w.id, w.name, w.account_id from registered_applications r
    join workflow_uses u on u.account_id = r.account_id and u.kind = 'registeredApplication' and u.target = r.id::text
    join workflows w on w.id = u.workflow_id and w.state = 'deployed'
    where r.id = any(${regApplicationIds}::uuid[]) order by lower(w.name), w.id`)
  for (const { connection, id, name, account_id: accountId } of rows) {
    const list = paused.get(connection) ?? []
    list.push({ workflowId: id, workflowName: name, accountId })
    paused.set(connection, list)
  }
  return paused
}
