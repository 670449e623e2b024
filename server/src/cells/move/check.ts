// What must be true before an organization is touched. Each refusal is one sentence, and nothing was changed.
import type pg from 'pg'
import { MoveError } from './move-error.ts'
import { asService, type Side } from './side.ts'
import type { Organization } from './tables.ts'

export async function requireRights({ client, cell }: Side): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'patchbay'::regnamespace and relkind in ('r', 'p')
       and not pg_has_role(relowner, 'usage') limit 1`,
  )
  const isMember = await client.query<{ ok: boolean }>(`select pg_has_role('patchbay_system', 'member') as ok`)
  if (rows.length === 0 && isMember.rows[0]?.ok) return
  throw new MoveError(
    `The database user of the cell ${cell} does not own its tables. Give PATCHBAY_DATABASE_URL the user that the service migrates with.`,
  )
}

/** Both databases must be as the same version of the program makes them. */
export async function requireSameSchema(source: Side, target: Side): Promise<void> {
  const [here, there] = await Promise.all([source, target].map(({ client }) => readSchema(client)))
  if (here === there) return
  throw new MoveError(
    `The cells ${source.cell} and ${target.cell} have databases of different versions of Patchbay. Upgrade the older one first.`,
  )
}

async function readSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(
    'select json_agg(json_build_array(name, checksum) order by name)::text as schema from patchbay.migrations',
  )
  return rows[0]?.schema ?? ''
}

export async function requireSameKeys(source: Side, target: Side): Promise<void> {
  const masterKeys = async ({ client }: Side) => {
    const { rows } = await asService(client, () => client.query<{ id: string }>('select id from master_keys'))
    return new Set(rows.map(({ id }) => id))
  }
  const { rows: used } = await asService(source.client, () =>
    source.client.query<{ id: string }>('select distinct master_key_id as id from data_keys'),
  )
  const there = await masterKeys(target)
  const missing = used.find(({ id }) => !there.has(id))
  if (missing)
    throw new MoveError(
      `The cells have different master keys: ${target.cell} does not have the key ${missing.id} of ${source.cell}. Cells between which organizations move need the same PATCHBAY_MASTER_KEY.`,
    )
  const purposes = ['apiKeyHash', 'session', 'auditChain'] as const
  if (purposes.some((purpose) => !source.keyRing.systemKey(purpose).equals(target.keyRing.systemKey(purpose))))
    throw new MoveError(
      'The cells have different system keys, so API keys of one would not work in the other. Set the same PATCHBAY_SYSTEM_KEY_SEED before the first start of each cell.',
    )
}

export async function findOrganization(
  { client, cell }: Pick<Side, 'client' | 'cell'>,
  wanted: string,
): Promise<Organization> {
  const { rows } = await asService(client, () =>
    client.query<{ id: string; name: string }>(
      'select id, name from organizations where id::text = lower($1) or name = $1',
      [wanted],
    ),
  )
  if (rows.length > 1)
    throw new MoveError(`Several organizations of the cell ${cell} have the name "${wanted}". Name it by its id.`)
  const [found] = rows
  if (!found) throw new MoveError(`There is no organization "${wanted}" in the cell ${cell}.`)
  return { ...found, accountIds: await listAccounts(client, found.id) }
}

export async function listAccounts(client: pg.Client, organizationId: string): Promise<string[]> {
  const { rows } = await asService(client, () =>
    client.query<{ id: string }>('select id from accounts where organization_id = $1 order by id', [organizationId]),
  )
  return rows.map(({ id }) => id)
}

/** The other cell must have nothing that the organization brings along. */
export async function requireRoom(source: Side, target: Side, organization: Organization): Promise<void> {
  const { rows: present } = await asService(target.client, () =>
    target.client.query('select from organizations where id = $1', [organization.id]),
  )
  if (present.length > 0)
    throw new MoveError(`The cell ${target.cell} has an organization with this id already. Nothing was moved.`)
  const { rows: accounts } = await asService(source.client, () =>
    source.client.query<{ email: string }>('select lower(email) as email from accounts where organization_id = $1', [
      organization.id,
    ]),
  )
  const { rows: taken } = await asService(target.client, () =>
    target.client.query<{ email: string }>(
      'select email from accounts where lower(email) = any($1) order by 1 limit 5',
      [accounts.map(({ email }) => email)],
    ),
  )
  if (taken.length === 0) return
  throw new MoveError(
    `Accounts of the cell ${target.cell} have e-mail addresses of this organization: ${taken.map(({ email }) => email).join(', ')}. Change them in one of the cells first.`,
  )
}
