/**
 * Pages of a history in the order of its numbers, of any length. Numbers have no gaps, so a page is a range of numbers, and the total a difference:
 * neither has to pass over the runs in between. Only at the oldest end some may be missing, where the day before was dropped while starts of both
 * days took numbers in turns: there runs are counted.
 */
import { type Queryable, sql } from '../../db/index.ts'

export type Numbers = { accountId: string; workflowId: string; oldestNumber: number; lastNumber: number }

/** Of the oldest numbers, as many are counted. Starts that overtake each other are apart by far less. */
const countedMax = 5000

/** Which runs to read: of those from number `from` to number `to`, in ascending order, `size` after `skip`. */
export type NumberRange = { from: number; to: number; skip: number; size: number }

export type NumberPage = { total: number; range: NumberRange | undefined }

export async function findNumberPage(
  db: Queryable,
  numbers: Numbers,
  page: { offset: number; size: number; isAscending: boolean },
): Promise<NumberPage> {
  const oldest = await countOldest(db, numbers)
  if (!oldest) return { total: 0, range: undefined }
  const { first, counted } = oldest
  const total = counted + Math.max(0, numbers.lastNumber - (first + countedMax) + 1)
  const begin = page.isAscending ? page.offset : Math.max(0, total - page.offset - page.size)
  const end = page.isAscending ? Math.min(total, page.offset + page.size) : total - page.offset
  const size = end - begin
  if (size <= 0) return { total, range: undefined }
  if (begin < counted) return { total, range: { from: first, to: numbers.lastNumber, skip: begin, size } }
  const from = first + countedMax + (begin - counted)
  return { total, range: { from, to: from + size - 1, skip: 0, size } }
}

/** The first number that is there, and how many are there of it and those that follow. */
async function countOldest(
  db: Queryable,
  { accountId, workflowId, oldestNumber, lastNumber }: Numbers,
): Promise<{ first: number; counted: number } | undefined> {
  const { rows } = await db.query<{ first: number; counted: number }>(sql`
    with oldest as (
      select run_number from runs where workflow_id = ${workflowId} and account_id = ${accountId} and run_number between ${oldestNumber} and ${lastNumber}
      order by run_number limit 1
    )
    select o.run_number as first, (
      select count(*) from runs r where r.workflow_id = ${workflowId} and r.account_id = ${accountId}
        and r.run_number >= o.run_number and r.run_number < o.run_number + ${countedMax}::integer and r.run_number <= ${lastNumber}) as counted
    from oldest o`)
  return rows[0]
}
