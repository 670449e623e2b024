import { type Queryable, sql } from '../../db/index.ts'

/** Names of the workflows among the ids that are still there. */
export async function findWorkflowNames(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>(
    sql`select id, name from workflows where id = any(${[...new Set(ids)]}::uuid[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export type BlockAtRevision = { workflowId: string; revision: number; blockId: string }

/** Names as they were in the revision, by `workflow/revision/block`. */
export async function findBlockNames(db: Queryable, blocks: readonly BlockAtRevision[]): Promise<Map<string, string>> {
  if (blocks.length === 0) return new Map()
  const { rows } = await db.query<{ workflow_id: string; revision: number; block_id: string; name: string }>(sql`
    select g.workflow_id, g.revision, g.block_id, element ->> 'blockName' as name
    from (
      select distinct * from unnest(${blocks.map(({ workflowId }) => workflowId)}::uuid[],
        ${blocks.map(({ revision }) => revision)}::integer[], ${blocks.map(({ blockId }) => blockId)}::text[]) as given (workflow_id, revision, block_id)
    ) g
    join workflow_revisions r on r.workflow_id = g.workflow_id and r.revision = g.revision
    cross join lateral jsonb_array_elements(r.definition::jsonb -> 'chain') element
    where element ->> 'uniqueBlockId' = g.block_id`)
  return new Map(rows.map((row) => [`${row.workflow_id}/${row.revision}/${row.block_id}`, row.name]))
}

export type CurrentNames = { workflow: string; blocks: ReadonlyMap<string, string> }

/** As the workflow and its blocks are called now. */
export async function findCurrentNames(db: Queryable, workflowId: string): Promise<CurrentNames> {
  const { rows } = await db.query<{ name: string; chain: { uniqueBlockId: string; blockName: string }[] | null }>(sql`
    select w.name, r.definition -> 'chain' as chain from workflows w
    join workflow_revisions r on r.workflow_id = w.id and r.revision = w.revision where w.id = ${workflowId}`)
  const chain = rows[0]?.chain ?? []
  return {
    workflow: rows[0]?.name ?? '',
    blocks: new Map(chain.map((block) => [block.uniqueBlockId, block.blockName])),
  }
}
