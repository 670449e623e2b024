// What an organization consists of, as the catalogue of the database says: every table with an account or an organization in its rows. Tables that
// belong to the cell itself are named here, and so are those whose rows are found in another way than by those columns.
import type pg from 'pg'
import { MoveError } from './move-error.ts'

export type Organization = { readonly id: string; readonly name: string; readonly accountIds: readonly string[] }

export type MovedTable = {
  name: string
  columns: string[]
  /** Numbered by the database: the other cell gives its own numbers, in the same order. */
  identity: string | null
  /** The condition on rows of the organization. */
  rows: string
  /** The condition on one row that is written, or null where writing goes on. */
  frozen: ((row: 'new' | 'old') => string) | null
  /** Changes of these columns alone are let pass. */
  notes: readonly string[]
}

/** Of the cell, not of its organizations; or gone within minutes anyway. Jobs are moved in a way of their own. */
const ofTheCell = [
  'clock_repairs',
  'content_stores',
  'database_clock',
  'file_pieces',
  'jobs',
  'leases',
  'master_keys',
  'migrations',
  'moved_addresses',
  'organization_arrivals',
  'organization_moves',
  'search_backlog',
  'search_feed',
  'sign_in_attempts',
  'sign_in_rates',
  'space_probe',
  'storage_measures',
  'stream_events',
  'stream_interest',
  'system_keys',
  'write_probe',
]

/** Found by an index that the column of the account does not have. */
const ofItsWorkflows = 'workflow_id in (select id from workflows where account_id = any(:accounts))'
const ofItsRuns = `run_id in (select id from runs where ${ofItsWorkflows})`
const ofItsSums = 'account_id = any(:accounts) or scope_id = any(:accounts) or scope_id = :organization'
const foundBy: Record<string, string> = {
  activity_hours: ofItsSums,
  activity_minutes: ofItsSums,
  activity_quarters: ofItsSums,
  call_rates: 'registered_application_id in (select id from registered_applications where account_id = any(:accounts))',
  organizations: 'id = :organization',
  remembered_items: ofItsWorkflows,
  run_blocks: ofItsRuns,
  run_recordings: ofItsWorkflows,
  run_item_lists: ofItsRuns,
  run_items: ofItsRuns,
  run_waits: ofItsRuns,
  run_writes: ofItsRuns,
  runs: ofItsWorkflows,
  webhook_answers: ofItsWorkflows,
  webhook_deliveries: ofItsWorkflows,
  webhook_requests: `id in (select webhook_id from webhook_queue where account_id = any(:accounts)
    union all select webhook_id from webhook_history where account_id = any(:accounts))`,
  workflows_without_base: ofItsWorkflows,
}

/** Written by those who work for all accounts at once, and of no weight: one of them must not be held up by an organization that moves. */
const neverFrozen = ['account_storage', 'call_rates', 'workflows_without_base']
const notes: Record<string, string[]> = { api_keys: ['last_used_at'] }
/** What a trigger of the one reads of the other, where no reference says so. */
const furtherOrder: [string, string][] = [['workflow_uses', 'registered_applications']]

type Described = { name: string; columns: string[]; identity: string | null; owner: string | null }

/** In an order in which each may be filled after those before it. */
export async function listTables(client: pg.Client, organization: Organization): Promise<MovedTable[]> {
  const { rows } = await client.query<Described>(
    `select c.relname::text as name,
       array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
       max(a.attname::text) filter (where a.attidentity <> '') as identity,
       -- A column that is sometimes empty does not say whose a row is.
       (array_agg(a.attname::text order by a.attname) filter (where a.attname in ('account_id', 'organization_id') and a.attnotnull))[1] as owner
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'patchbay'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [ofTheCell],
  )
  const tables = rows.map((row) => planOf(row, organization))
  return afterTheirReferences(tables, await listReferences(client))
}

function planOf({ name, columns, identity, owner }: Described, organization: Organization): MovedTable {
  const found = foundBy[name] ?? (owner === 'account_id' ? 'account_id = any(:accounts)' : undefined)
  if (found === undefined && owner === null)
    throw new MoveError(`The table ${name} does not say whose its rows are: this version cannot move organizations.`)
  const rows = fillIn(found ?? 'organization_id = :organization', organization)
  const frozen = (row: 'new' | 'old') => {
    if (name === 'organizations') return fillIn(`${row}.id = :organization`, organization)
    if (columns.includes('scope_id'))
      return fillIn(`${row}.account_id = any(:accounts) or ${row}.scope_id = :organization`, organization)
    return columns.includes('organization_id')
      ? fillIn(`${row}.organization_id = :organization`, organization)
      : fillIn(`${row}.account_id = any(:accounts)`, organization)
  }
  return { name, columns, identity, rows, frozen: neverFrozen.includes(name) ? null : frozen, notes: notes[name] ?? [] }
}

/** Ids come from the database, and hold nothing but digits, letters and dashes. */
export function fillIn(condition: string, { id, accountIds }: Organization): string {
  return condition
    .replaceAll(':accounts', `'{${accountIds.join(',')}}'::uuid[]`)
    .replaceAll(':organization', `'${id}'::uuid`)
}

async function listReferences(client: pg.Client): Promise<[string, string][]> {
  const { rows } = await client.query<{ one: string; other: string }>(
    `select distinct o.relname::text as one, r.relname::text as other from pg_constraint k
     join pg_class o on o.oid = k.conrelid join pg_class r on r.oid = k.confrelid
     where k.contype = 'f' and k.connamespace = 'patchbay'::regnamespace and k.conparentid = 0 and k.conrelid <> k.confrelid`,
  )
  return [...rows.map(({ one, other }): [string, string] => [one, other]), ...furtherOrder]
}

function afterTheirReferences(tables: MovedTable[], references: [string, string][]): MovedTable[] {
  const ordered = new Map<string, MovedTable>()
  const byName = new Map(tables.map((table) => [table.name, table]))
  const add = (name: string): void => {
    const table = byName.get(name)
    if (!table || ordered.has(name)) return
    for (const [one, other] of references) if (one === name) add(other)
    ordered.set(name, table)
  }
  for (const { name } of tables) add(name)
  return [...ordered.values()]
}
