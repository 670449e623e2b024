// Which workflows of an organization use an item of its catalogue. Archived ones do not any more.
import { type Queryable, type Sql, sql } from '../../db/index.ts'

type UseRow = { id: string; account_id: string; created_by: string | null }
type CatalogItem = { applicationShortName: string } | { blockTemplateId: string } | { workflowTemplateId: string }

/** `db` must see every account of the organization. */
export async function listWorkflowsOf(db: Queryable, organizationId: string, item: CatalogItem) {
  const { rows } = await db.query<UseRow>(sql`
    select w.id, w.account_id, a.created_by from workflows w join accounts a on a.id = w.account_id
    where w.organization_id = ${organizationId} and w.state <> 'archived' and ${uses(item)} order by w.id`)
  return rows.map(toUse)
}

function uses(item: CatalogItem): Sql {
  if ('workflowTemplateId' in item) return sql`w.workflow_template_id = ${item.workflowTemplateId}`
  const [kind, target] =
    'blockTemplateId' in item
      ? ['blockTemplate', item.blockTemplateId]
      : ['application', item.applicationShortName.toUpperCase()]
  return sql`exists (select from workflow_uses u
    where u.account_id = w.account_id and u.kind = ${kind} and u.target = ${target} and u.workflow_id = w.id)`
}

/** The database finds scripts that hold the word; whether one means it, the caller judges. */
export async function listWorkflowsCalling(
  db: Queryable,
  organizationId: string,
  word: string,
  isCalled: (script: string) => boolean,
) {
  const { rows } = await db.query<UseRow & { scripts: string[] }>(sql`
    select w.id, w.account_id, a.created_by,
      array(select b->>'script' from json_array_elements(r.definition->'chain') b where position(${word} in b->>'script') > 0) as scripts
    from workflows w
    join accounts a on a.id = w.account_id
    join workflow_revisions r on r.workflow_id = w.id and r.revision = w.revision
    where w.organization_id = ${organizationId} and w.state <> 'archived' and position(${word} in r.definition::text) > 0
    order by w.id`)
  return rows.filter(({ scripts }) => scripts.some(isCalled)).map(toUse)
}

function toUse(row: UseRow) {
  return { id: row.id, accountId: row.account_id, accountCreatedBy: row.created_by }
}
