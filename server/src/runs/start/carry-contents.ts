// An object belongs to one run, and is sealed for it. A run that takes over results whose contents lie elsewhere gets objects of its own, made
// before the transaction that starts it.
import type { Contents } from '../../contents/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import { contentPlace } from '../record/block-contents.ts'

type Column = 'result' | 'log' | 'session'
type CarriedBlock = Record<Column, string | null> & { block_id: string }

/** Only what changes is not null. */
export type Carried = readonly CarriedBlock[]

export async function carryContents(
  deps: { db: Queryable; contents: Pick<Contents, 'keep' | 'read'> },
  accountId: string,
  fromRunId: string,
  toRunId: string,
): Promise<Carried> {
  const { rows } = await deps.db.query<CarriedBlock>(sql`
    select block_id, case when content_id(result) is not null then result end as result,
      case when content_id(log) is not null then log end as log, case when content_id(session) is not null then session end as session
    from run_blocks where run_id = ${fromRunId} and account_id = ${accountId} and status = 'Ready'
      and coalesce(content_id(result), content_id(log), content_id(session)) is not null order by seq`)
  const carried: CarriedBlock[] = []
  // One after the other: of many large results only one is in memory.
  for (const row of rows) {
    const carry = async (column: Column) => {
      const place = (runId: string) => contentPlace({ runId, blockId: row.block_id, accountId }, column)
      return deps.contents.keep(place(toRunId), await deps.contents.read(place(fromRunId), row[column]))
    }
    carried.push({
      block_id: row.block_id,
      result: await carry('result'),
      log: await carry('log'),
      session: await carry('session'),
    })
  }
  return carried
}

/** After the rows were copied. */
export async function writeCarried(tx: Queryable, accountId: string, runId: string, carried: Carried): Promise<void> {
  for (const { block_id, result, log, session } of carried)
    await tx.query(sql`
      update run_blocks set result = coalesce(${result}, result), log = coalesce(${log}, log), session = coalesce(${session}, session)
      where run_id = ${runId} and account_id = ${accountId} and block_id = ${block_id}`)
}
