import type { ItemState } from '@patchbay/contract'
import { type Queryable, sql } from '../../db/index.ts'

export type ItemRow = {
  item_index: number
  key: string
  state: ItemState
  error_message: string | null
  tries: number
  started_at: Date | null
  ended_at: Date | null
  due_at: Date | null
  child_run: { workflowId: string; runNumber: number } | null
  retried_by: number | null
}

type At = { accountId: string; runId: string; blockId: string }
type Filter = { status: ItemState | null; searchTerm: string | null; from: number; size: number; list: FoundList }

/** `lanes`: how many of its items may be in progress at this moment; 0 while nobody works on the block. */
export type FoundList = {
  total: number
  lanes: number
  /** The block that the list belongs to. */
  listBlockId: string
  /** Of a block with the items of another: how many of them have got that far. */
  reached: number | null
}

/** The list of the block; undefined when there is none. */
export async function findList(db: Queryable, { accountId, runId, blockId }: At): Promise<FoundList | undefined> {
  const { rows } = await db.query<FoundList>(sql`
    select l.total, coalesce(l.same_as, l.block_id) as "listBlockId",
      case when l.same_as is not null then (
        select count(*)::integer from run_items s
        where s.run_id = l.run_id and s.block_id = l.same_as and s.account_id = l.account_id and s.status <> 'failed' and s.result is not null
      ) end as reached,
      case when r.status in ('Processing', 'Stopping') and b.block_id is null then l.lanes else 0 end as lanes
    from run_item_lists l join runs r on r.id = l.run_id left join run_blocks b on b.run_id = l.run_id and b.block_id = l.block_id
    where l.run_id = ${runId} and l.block_id = ${blockId} and l.account_id = ${accountId} and l.chunk = 0`)
  return rows[0]
}

/** Those that have ended, by status, and those that wait. */
export async function countStates(db: Queryable, { accountId, runId, blockId }: At): Promise<Map<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(sql`
    select status as state, count(*)::integer as count from run_items
    where run_id = ${runId} and block_id = ${blockId} and account_id = ${accountId} group by 1
    union all
    select 'waiting', coalesce(sum(json_array_length(w.details::json -> 'indexes')), 0)::integer from run_waits w
    where w.run_id = ${runId} and w.block_id = ${blockId} and w.account_id = ${accountId} and w.item_index >= 0
      and not exists (select from run_items i where i.run_id = w.run_id and i.block_id = w.block_id and i.item_index = w.item_index)`)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/**
 * The keys of what has not ended are in the list, so it is opened; keys and messages are compared without regard to case. Lanes take items in
 * order, so those in progress are the first that have neither ended nor wait.
 */
export async function listItems(
  db: Queryable,
  { accountId, runId, blockId }: At,
  { status, searchTerm, from, size, list: { lanes, listBlockId } }: Filter,
): Promise<{ rows: ItemRow[]; total: number }> {
  const { rows } = await db.query<ItemRow & { total: number }>(sql`
    with listed as (
      select l.first_index + e.no::integer - 1 as item_index, e.entry ->> 0 as key
      from run_item_lists l cross join lateral json_array_elements(l.content::json) with ordinality as e (entry, no)
      where l.run_id = ${runId} and l.block_id = ${listBlockId} and l.account_id = ${accountId}
    ), waits as (
      select n.item_index::integer as item_index, w.due_at, coalesce((w.details::json ->> 'tries')::integer, 0) as tries,
        (w.details::jsonb -> 'child') - 'id' as child_run
      from run_waits w
      cross join lateral json_array_elements_text(w.details::json -> 'indexes') as n (item_index)
      where w.run_id = ${runId} and w.block_id = ${blockId} and w.account_id = ${accountId} and w.item_index >= 0
    ), known as (
      select l.item_index, l.key,
        coalesce(i.status, case when w.item_index is not null then 'waiting' else 'pending' end) as state,
        ${listBlockId}::uuid = ${blockId}::uuid or exists (
          select from run_items s where s.run_id = ${runId} and s.block_id = ${listBlockId} and s.item_index = l.item_index
            and s.status <> 'failed' and s.result is not null
        ) as is_reached,
        i.error_message, i.retried_by, coalesce(i.tries, w.tries, 0) as tries, i.started_at, i.ended_at,
        case when i.status is null then w.due_at end as due_at, coalesce(i.child_run, w.child_run) as child_run
      from listed l
      left join run_items i on i.run_id = ${runId} and i.block_id = ${blockId} and i.item_index = l.item_index
      left join waits w on w.item_index = l.item_index
    ), all_items as (
      select item_index, key, error_message, retried_by, tries, started_at, ended_at, due_at, child_run,
        case when state = 'pending' and is_reached and row_number() over (partition by state, is_reached order by item_index) <= ${lanes}
          then 'processing' else state end as state
      from known
    )
    select *, (count(*) over ())::integer as total from all_items
    where (${status}::text is null or state = ${status})
      and (${searchTerm}::text is null or position(lower(${searchTerm}) in lower(key)) > 0 or position(lower(${searchTerm}) in lower(coalesce(error_message, ''))) > 0)
    order by item_index limit ${size} offset ${from}`)
  return { rows, total: rows[0]?.total ?? 0 }
}

export type FoundItem = ItemRow & {
  item: string
  result: string | null
  log: string | null
  calls: string | null
}

export async function findItem(
  db: Queryable,
  { accountId, runId, blockId }: At,
  { key, list: { lanes, listBlockId } }: { key: string; list: FoundList },
): Promise<FoundItem | undefined> {
  const { rows } = await db.query<FoundItem>(sql`
    select f.item_index, f.key, f.item,
      case when i.status is not null then i.status when w.item_index is not null then 'waiting'
        when ${listBlockId}::uuid = ${blockId}::uuid and f.item_index - (
          select count(*) from run_items e where e.run_id = ${runId} and e.block_id = ${blockId} and e.item_index < f.item_index
        ) < ${lanes} then 'processing' else 'pending' end as state,
      i.error_message, i.retried_by, coalesce(i.tries, (w.details::json ->> 'tries')::integer, 0) as tries, i.started_at, i.ended_at, case when i.status is null then w.due_at end as due_at,
      coalesce(i.child_run, (w.details::jsonb -> 'child') - 'id') as child_run, i.result, i.log, i.calls
    from (
      select l.first_index + e.no::integer - 1 as item_index, e.entry ->> 0 as key, (e.entry -> 1)::text as item
      from run_item_lists l cross join lateral json_array_elements(l.content::json) with ordinality as e (entry, no)
      where l.run_id = ${runId} and l.block_id = ${listBlockId} and l.account_id = ${accountId}
    ) f
    left join run_items i on i.run_id = ${runId} and i.block_id = ${blockId} and i.item_index = f.item_index
    left join run_waits w on w.run_id = ${runId} and w.block_id = ${blockId} and w.item_index = f.item_index
    where f.key = ${key}`)
  return rows[0]
}
