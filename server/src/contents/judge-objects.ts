// Which objects nothing refers to, and nothing ever will.
//
// A worker writes about a run only while the run is under way: every statement of it is fenced. So a run that has ended, or is gone, gets no
// further reference, and an object of it that no row names is forgotten for good. This needs no clock. Only for runs and requests that are not
// there it does: they may be about to be stored. Their ids tell how old they are.
import { type Queryable, sql } from '../db/index.ts'
import { msOf, type Owned, readKey } from './reference.ts'

/** Whoever refers to an object of something that is not stored yet does so within a minute. */
const unknownMsMin = 86_400_000

type Standing = { id: string; is_known: boolean; is_open: boolean; kept: string[] }

export async function listForgotten(db: Queryable, keys: readonly string[], now: number): Promise<string[]> {
  const objects = keys.flatMap((key) => {
    const owned = readKey(key)
    return owned ? [{ key, ...owned }] : []
  })
  const runs = await standingsOf(db, objects, 'runs')
  const webhooks = await standingsOf(db, objects, 'webhooks')
  return objects
    .filter(({ kind, ownerId, objectId }) => {
      const standing = (kind === 'runs' ? runs : webhooks).get(ownerId)
      if (!standing || standing.is_open || standing.kept.includes(objectId)) return false
      return standing.is_known || now - msOf(ownerId) > unknownMsMin
    })
    .map(({ key }) => key)
}

async function standingsOf(
  db: Queryable,
  objects: readonly Owned[],
  kind: Owned['kind'],
): Promise<Map<string, Standing>> {
  const ids = [...new Set(objects.filter((object) => object.kind === kind).map(({ ownerId }) => ownerId))].sort()
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<Standing>(kind === 'runs' ? runStandings(ids) : webhookStandings(ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The range tells the planner which days to look at. */
function runStandings(ids: readonly string[]) {
  const [first, last] = [ids[0], ids.at(-1)]
  return sql`
    with asked as materialized (select id from unnest(${ids}::uuid[]) as a (id)), referred as materialized (
      select b.run_id as id, v.object_id from run_blocks b
      cross join lateral (values (content_id(b.result)), (content_id(b.log)), (content_id(b.session)), (content_id(b.calls))) as v (object_id)
      where b.run_id in (select id from asked) and b.run_id >= ${first}::uuid and b.run_id <= ${last}::uuid and v.object_id is not null
      union all
      select d.run_id, content_id(d.sealed_tape) from run_recordings d where d.run_id in (select id from asked)
    )
    select a.id, r.id is not null as is_known, r.id is not null and r.ended_at is null as is_open,
      array(select f.object_id::text from referred f where f.id = a.id and f.object_id is not null) as kept
    from asked a left join runs r on r.id = a.id and r.id >= ${first}::uuid and r.id <= ${last}::uuid`
}

/** A request is stored at once with its reference, so one that is there gets no other. */
function webhookStandings(ids: readonly string[]) {
  const [first, last] = [ids[0], ids.at(-1)]
  return sql`
    with asked as materialized (select id from unnest(${ids}::uuid[]) as a (id)), stored as materialized (
      select w.id, content_id(w.sealed_request) as object_id from webhook_requests w
      where w.id in (select id from asked) and w.id >= ${first}::uuid and w.id <= ${last}::uuid
      union all
      select s.id, content_id(s.sealed_request) from webhook_samples s where s.id in (select id from asked)
    )
    select a.id, exists (select from stored s where s.id = a.id) as is_known, false as is_open,
      array(select s.object_id::text from stored s where s.id = a.id and s.object_id is not null) as kept
    from asked a`
}
