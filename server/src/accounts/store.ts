import type { AccountStateName, RoleName } from '@patchbay/contract'
import { listSizeMax } from '@patchbay/contract'
import { nothing, type Queryable, sql, when } from '../db/index.ts'

type AccountRow = {
  id: string
  email: string
  first_name: string
  last_name: string
  role: RoleName
  state: AccountStateName
  organization_name: string
  tags: string[]
}

export type AccountSearch = {
  page: number
  size: number
  searchTerm: string | undefined
  states: AccountStateName[] | undefined
  tags: string[] | undefined
  /** Only these: the account itself, and those it created. */
  reachedBy?: { id: string; withCreated: boolean } | undefined
}

const columns = sql`a.id, a.email, a.first_name, a.last_name, a.role, a.state, o.name as organization_name,
  array(select t.value from tags t where t.organization_id = a.organization_id and t.entity_type = 'account' and t.entity_id = a.id order by t.value) as tags`

export async function listAccounts(db: Queryable, organizationId: string) {
  const { rows } = await db.query<AccountRow>(sql`
    select ${columns} from accounts a join organizations o on o.id = a.organization_id
    where a.organization_id = ${organizationId} order by a.created_at, a.id limit ${listSizeMax}`)
  return rows.map((row) => ({ ...toItem(row), organizationName: row.organization_name }))
}

export async function searchAccounts(db: Queryable, organizationId: string, search: AccountSearch) {
  // Every wanted tag must be there; strpos takes % and _ literally.
  const matching = sql`a.organization_id = ${organizationId}
    ${when(search.reachedBy, ({ id, withCreated }) => sql`and (a.id = ${id} or (${withCreated} and a.created_by = ${id}))`)}
    ${when(search.searchTerm || undefined, (term) => sql`and strpos(lower(a.first_name || ' ' || a.last_name || ' ' || a.email), lower(${term})) > 0`)}
    ${search.states && search.states.length > 0 ? sql`and a.state = any(${search.states})` : nothing}
    ${
      search.tags && search.tags.length > 0
        ? sql`and not exists (select from unnest(${search.tags}::text[]) wanted where not exists (
            select from tags t where t.organization_id = a.organization_id and t.entity_type = 'account' and t.entity_id = a.id and t.value = wanted))`
        : nothing
    }`
  const [page, count] = await Promise.all([
    db.query<AccountRow>(sql`
      select ${columns} from accounts a join organizations o on o.id = a.organization_id
      where ${matching} order by a.created_at, a.id limit ${search.size} offset ${search.page * search.size}`),
    db.query<{ total: number }>(sql`select count(*) as total from accounts a where ${matching}`),
  ])
  return { accounts: page.rows.map(toItem), total: count.rows[0]?.total ?? 0 }
}

export type NewAccount = {
  id: string
  organizationId: string
  email: string
  firstName: string
  lastName: string
  role: RoleName
  state: AccountStateName
  countryKey: string | null
  permissions: readonly string[]
  createdBy: string | null
}

export async function insertAccount(tx: Queryable, account: NewAccount): Promise<void> {
  await tx.query(sql`
    insert into accounts (id, organization_id, email, first_name, last_name, role, state, country_key, permissions, created_by)
    values (${account.id}, ${account.organizationId}, ${account.email}, ${account.firstName}, ${account.lastName}, ${account.role},
            ${account.state}, ${account.countryKey}, ${account.permissions}, ${account.createdBy})`)
}

export async function updateState(
  tx: Queryable,
  organizationId: string,
  id: string,
  state: AccountStateName,
): Promise<void> {
  await tx.query(sql`
    update accounts set state = ${state}, modified_at = now() where organization_id = ${organizationId} and id = ${id}`)
}

export type AccountChange = {
  firstName?: string | undefined
  lastName?: string | undefined
  countryKey?: string | undefined
  role?: RoleName | undefined
  permissions?: string[] | undefined
}

/** Held until the transaction ends, with every Manager of the organization: two of them cannot each make the other the last. */
export async function findForChange(
  tx: Queryable,
  organizationId: string,
  id: string,
): Promise<{ state: AccountStateName; permissions: string[]; isLastActiveManager: boolean } | undefined> {
  const { rows } = await tx.query<{ id: string; role: RoleName; state: AccountStateName; permissions: string[] }>(sql`
    select id, role, state, permissions from accounts
    where organization_id = ${organizationId} and (id = ${id} or role = 'Manager') order by id for no key update`)
  const found = rows.find((row) => row.id === id)
  const managers = rows.filter(({ role, state }) => role === 'Manager' && state === 'active')
  return (
    found && {
      state: found.state,
      permissions: found.permissions,
      isLastActiveManager: managers.length === 1 && managers[0] === found,
    }
  )
}

/** What is undefined stays as it is. */
export async function updateAccount(
  tx: Queryable,
  organizationId: string,
  id: string,
  change: AccountChange,
): Promise<void> {
  await tx.query(sql`
    update accounts set
      first_name = coalesce(${change.firstName ?? null}, first_name),
      last_name = coalesce(${change.lastName ?? null}, last_name),
      country_key = coalesce(${change.countryKey ?? null}, country_key),
      role = coalesce(${change.role ?? null}, role),
      permissions = coalesce(${change.permissions ?? null}::text[], permissions),
      modified_at = now()
    where organization_id = ${organizationId} and id = ${id}`)
}

export async function findInvited(tx: Queryable, organizationId: string, id: string) {
  const { rows } = await tx.query<{
    email: string
    first_name: string
    state: AccountStateName
    created_by: string | null
  }>(sql`
    select email, first_name, state, created_by from accounts where organization_id = ${organizationId} and id = ${id} for update`)
  const row = rows[0]
  return row && { id, email: row.email, firstName: row.first_name, state: row.state, createdBy: row.created_by }
}

export async function insertOrganization(tx: Queryable, id: string, name: string): Promise<void> {
  await tx.query(sql`insert into organizations (id, name) values (${id}, ${name})`)
}

function toItem(row: AccountRow) {
  return {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    accountState: row.state,
    tags: row.tags,
  }
}
