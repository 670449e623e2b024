import { readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { type Database, type Queryable, type Scope, sql, when } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { sealBytes } from '../secrets/index.ts'

type Deps = { database: Database; workflowExists(db: Queryable, scope: Scope, workflowId: string): Promise<boolean> }
type Search = { workflowId?: string; searchTerm?: string; page?: number; size?: number }

/** Keys of a workflow, or of the account; never their values. */
export async function listVaultKeys(deps: Deps, principal: Principal, search: Search) {
  const { workflowId, searchTerm } = search
  const { page, size } = readPage(search)
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  const holderId = workflowId ?? scope.accountId
  if (workflowId !== undefined && !(await deps.workflowExists(db, scope, holderId))) throw notFound('workflow')
  const matching = sql`account_id = ${scope.accountId} and holder_id = ${holderId} ${when(searchTerm, matches)}`
  const [keys, count] = await Promise.all([
    db.query<{ key: Buffer; size: number; modified_at: Date }>(sql`
      select key, octet_length(sealed_value) - ${sealBytes}::integer as size, modified_at from vault_entries
      where ${matching} order by key limit ${size} offset ${page * size}`),
    db.query<{ total: number }>(sql`select count(*) as total from vault_entries where ${matching}`),
  ])
  return {
    items: keys.rows.map((row) => ({
      key: row.key.toString('utf8'),
      sizeBytes: row.size,
      modifyDateTimeUTC: row.modified_at.toISOString(),
    })),
    total: count.rows[0]?.total ?? 0,
  }
}

/** Keys are bytes because they may hold NUL, which no text of the database can; such a key is compared as it is. */
function matches(term: string) {
  return sql`and case when position('\\x00'::bytea in key) = 0
    then strpos(lower(convert_from(key, 'UTF8')), lower(${term.replaceAll('\u0000', '')})) > 0
    else position(${Buffer.from(term, 'utf8')}::bytea in key) > 0 end`
}
