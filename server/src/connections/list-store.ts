import { listSizeMax } from '@patchbay/contract'
import { nothing, type Queryable, type Scope, type Sql, sql, when } from '../db/index.ts'

type ListRow = {
  id: string
  application_id: string
  short_name: string
  name: string
  tag_text: string
  is_oauth: boolean
  is_authenticated: boolean
  fault_message: string | null
  created_at: Date
  modified_at: Date
}
type TagRow = { entity_id: string; value: string }

/** For `like`, in which three characters mean something. */
function literally(term: string): string {
  return term.replaceAll(/[\\%_]/g, '\\$&')
}

const listColumns = sql`r.id, r.application_id, r.short_name, r.name, r.tag_text, r.is_oauth, r.is_authenticated, r.fault_message,
  r.created_at, r.modified_at`

export type ConnectionSearch = {
  page: number
  size: number
  searchTerm: string | undefined
  tags: string[] | undefined
  isFaulted: boolean | undefined
  appIds: string[] | undefined
}

export async function listAuthenticated(db: Queryable, scope: Scope) {
  const [listed, tagged] = await Promise.all([
    db.query<ListRow>(sql`
      select ${listColumns} from registered_applications r where r.account_id = ${scope.accountId} and r.is_authenticated order by r.id
      limit ${listSizeMax}`),
    db.query<TagRow>(sql`
      select t.entity_id, t.value from tags t join registered_applications r on r.id = t.entity_id
      where t.organization_id = ${scope.organizationId} and t.entity_type = 'registeredApp' and r.account_id = ${scope.accountId}
        and r.is_authenticated order by t.value`),
  ])
  return withTags(listed.rows, tagged.rows)
}

export async function searchConnections(db: Queryable, scope: Scope, search: ConnectionSearch) {
  const matching = sql`r.account_id = ${scope.accountId}
    ${when(search.searchTerm || undefined, (term) => sql`and r.search_text like '%' || lower(${literally(term)}) || '%'`)}
    ${search.isFaulted === undefined ? nothing : search.isFaulted ? sql`and r.fault_message is not null` : sql`and r.fault_message is null`}
    ${search.appIds && search.appIds.length > 0 ? sql`and r.application_id = any(${search.appIds}::uuid[])` : nothing}
    ${(search.tags ?? []).reduce((all, tag) => sql`${all} and ${carries(scope, tag)}`, nothing)}`
  // A text has to be looked for in every row, so it is done once for the page and the count; both are cut by ids alone.
  const { rows } = await db.query<{ total: number } & (ListRow & { tags: string[] })>(sql`
    with found as ${search.searchTerm ? sql`materialized` : sql`not materialized`} (
      select r.id from registered_applications r where ${matching}
    )
    select c.total, p.* from (select count(*) as total from found) c left join (
      select ${listColumns}, array(select t.value from tags t where t.organization_id = ${scope.organizationId}
        and t.entity_type = 'registeredApp' and t.entity_id = r.id order by t.value) as tags
      from (select id from found order by id limit ${search.size} offset ${search.page * search.size}) w
      join registered_applications r on r.id = w.id and r.account_id = ${scope.accountId}
    ) p on true order by p.id`)
  return {
    // A page without rows still tells the count.
    items: rows.filter((row) => row.id !== null).map((row) => ({ ...toListItem(row), tags: row.tags })),
    total: rows[0]?.total ?? 0,
  }
}

function carries(scope: Scope, tag: string): Sql {
  return sql`r.id in (select t.entity_id from tags t
    where t.organization_id = ${scope.organizationId} and t.entity_type = 'registeredApp' and t.value = ${tag})`
}

function withTags(rows: readonly ListRow[], tagged: readonly TagRow[]) {
  const tags = Map.groupBy(tagged, (row) => row.entity_id)
  return rows.map((row) => ({ ...toListItem(row), tags: (tags.get(row.id) ?? []).map(({ value }) => value) }))
}

function toListItem(row: ListRow) {
  return {
    id: row.id,
    applicationId: row.application_id,
    shortName: row.short_name,
    name: row.name,
    tagText: row.tag_text,
    isOAuth: row.is_oauth,
    isAuthenticated: row.is_authenticated,
    isFaulted: row.fault_message !== null,
    faultMessage: row.fault_message,
    createDateTimeUTC: row.created_at.toISOString(),
    modifyDateTimeUTC: row.modified_at.toISOString(),
  }
}
