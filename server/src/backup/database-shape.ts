// What there is to copy, as the catalogue of the database says: nothing here names a table of a feature.
import type pg from 'pg'

export type Table = { schema: string; name: string; columns: string[] }
export type Partition = {
  parent: string
  name: string
  bound: string
  options: string[] | null
  /** The condition under which an account sees rows; null where nothing is guarded. */
  ownRows: string | null
  grants: { role: string; privileges: string }[]
}
export type Sequence = { name: string; lastValue: string; isCalled: boolean }

export type Manifest = {
  migrations: { name: string; checksum: string }[]
  /** Ids of the keys that wrap every other key. */
  masterKeyIds: string[]
  /** The keys themselves, in a file that a passphrase seals. */
  masterKeys?: string[]
  tables: Table[]
  partitions: Partition[]
  sequences: Sequence[]
  /** The stores whose files are in the backup. Rows that point to others belong to machines that the backup did not reach. */
  storeIds: string[]
}

/** Of each installation its own, made anew by the start of the service, and the files, which are copied from wherever they lie. */
const leftOut = ['migrations', 'file_pieces', 'content_stores']

export async function readShape(
  client: pg.Client,
): Promise<Pick<Manifest, 'migrations' | 'masterKeyIds' | 'tables' | 'partitions'>> {
  const [migrations, masterKeys, tables, partitions] = [
    await client.query('select name, checksum from patchbay.migrations order by name'),
    await client.query('select id from patchbay.master_keys order by is_current desc, id'),
    await client.query<Table>(
      `select n.nspname as schema, c.relname as name,
         (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition
         and n.nspname = 'patchbay' and c.relname <> all($1)
       order by 1, 2`,
      [leftOut],
    ),
    await client.query<Partition>(
      `select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, c.reloptions as options,
         (select pg_get_expr(l.polqual, l.polrelid) from pg_policy l where l.polrelid = c.oid and l.polname = 'own_rows') as "ownRows",
         coalesce((select json_agg(json_build_object('role', g.grantee::regrole::text, 'privileges', g.privileges)) from (
           select e.grantee, string_agg(e.privilege_type, ', ') as privileges from aclexplode(c.relacl) e
           where e.grantee <> c.relowner and e.grantee <> 0 group by 1) g), '[]') as grants
       from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
       where c.relnamespace = 'patchbay'::regnamespace and c.relkind = 'r' order by 1, 2`,
    ),
  ]
  return {
    migrations: migrations.rows,
    masterKeyIds: masterKeys.rows.map(({ id }) => id as string),
    tables: tables.rows,
    partitions: partitions.rows,
  }
}

/** Sequences know no transactions: read after the snapshot was taken, they stand at or behind every row in it. */
export async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'S' and c.relnamespace = 'patchbay'::regnamespace order by 1`,
  )
  const sequences: Sequence[] = []
  // Where they stand is for their owner to read.
  await client.query('reset role')
  for (const { name } of rows) {
    const { rows: values } = await client.query(
      `select last_value::text as "lastValue", is_called as "isCalled" from patchbay.${client.escapeIdentifier(name)}`,
    )
    sequences.push({ name, ...values[0] })
  }
  await client.query('set role patchbay_system')
  return sequences
}
