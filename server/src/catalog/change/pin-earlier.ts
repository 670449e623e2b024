// Workflow templates that were published before versions were pinned get the block templates they stood on when they were published.
import { type Database, type Queryable, sql } from '../../db/index.ts'
import type { BlockTemplate, WorkflowTemplate } from '../format/definition.ts'
import type { Catalog } from '../shelves/catalog.ts'
import { pinBlocks } from '../shelves/pin-blocks.ts'
import { raiseStamp } from '../shelves/store.ts'

type Deps = { database: Database; catalog: Catalog }
/** The time is text: what was imported together has the same microsecond, which a Date would cut off. */
type Unpinned = { id: string; revision: number; definition: WorkflowTemplate; created_at: string }

/** Harmless to repeat, and by several processes at once. */
export async function pinEarlierTemplates({ database, catalog }: Deps): Promise<void> {
  const { rows } = await database.system.query<{ organization_id: string }>(sql`
    select distinct organization_id from catalog_items
    where kind = 'workflowTemplate' and revision > 0 and pinned is null`)
  for (const { organization_id: organizationId } of rows) {
    await database.system.transaction(async (tx) => {
      await raiseStamp(tx, organizationId)
      const shelf = await catalog.hostedOn(tx, organizationId)
      for (const template of await listUnpinned(tx, organizationId)) {
        const known = await listBlocksAt(tx, organizationId, template)
        const pinned = pinBlocks(template.definition, (id) => known.get(id) ?? catalog.findPublishedBlock(shelf, id))
        await tx.query(sql`
          update catalog_items set pinned = ${JSON.stringify(pinned)}
          where organization_id = ${organizationId} and kind = 'workflowTemplate' and id = ${template.id}
            and revision = ${template.revision} and pinned is null`)
      }
    })
  }
}

async function listUnpinned(tx: Queryable, organizationId: string): Promise<Unpinned[]> {
  const { rows } = await tx.query<Unpinned>(sql`
    select id, revision, definition, created_at::text as created_at from catalog_items
    where organization_id = ${organizationId} and kind = 'workflowTemplate' and revision > 0 and pinned is null`)
  return rows
}

/** Of each block the newest version of that time; one that was published only later, as it was first. */
async function listBlocksAt(
  tx: Queryable,
  organizationId: string,
  { definition, created_at: at }: Unpinned,
): Promise<Map<string, BlockTemplate>> {
  const ids = definition.chain.flatMap(({ blockTemplateId }) => blockTemplateId ?? [])
  const { rows } = await tx.query<{ definition: BlockTemplate }>(sql`
    select distinct on (id) definition from catalog_items
    where organization_id = ${organizationId} and kind = 'blockTemplate' and revision > 0 and id = any(${ids}::uuid[])
    order by id, created_at <= ${at}::timestamptz desc,
      case when created_at <= ${at}::timestamptz then -revision else revision end`)
  return new Map(rows.map(({ definition: block }) => [block.id, block]))
}
