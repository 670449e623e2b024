import { type Queryable, sql } from '../db/index.ts'

export type Names = { workflow: string; blocks: ReadonlyMap<string, string> }

/** As they are called now. */
export async function findNames(db: Queryable, workflowId: string): Promise<Names> {
  const { rows } = await db.query<{ name: string; chain: { uniqueBlockId: string; blockName: string }[] | null }>(sql`
    select w.name, r.definition -> 'chain' as chain from workflows w
    join workflow_revisions r on r.workflow_id = w.id and r.revision = w.revision where w.id = ${workflowId}`)
  const chain = rows[0]?.chain ?? []
  return {
    workflow: rows[0]?.name ?? '',
    blocks: new Map(chain.map((block) => [block.uniqueBlockId, block.blockName])),
  }
}
