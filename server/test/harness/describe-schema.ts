// The database as the migrations leave it, in words that can be compared and reviewed.
import type { TestService } from './service.ts'

export async function describeSchema(service: TestService): Promise<string> {
  const tables = await service.asOwner(`
    select c.oid::int as oid, c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_guarded, pg_get_partkeydef(c.oid) as partitions
    from pg_class c where c.relnamespace = 'patchbay'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`)
  const parts: string[] = []
  // One after the other: every question opens a connection of its own.
  for (const table of tables) parts.push(await describeTable(service, table as Table))
  const routines = await service.asOwner(`
    select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'patchbay'::regnamespace order by proname`)
  return [...parts, ...routines.map((row) => `${String(row['text']).trim()};`)].join('\n\n').concat('\n')
}

type Table = { oid: number; name: string; is_guarded: boolean; partitions: string | null }

async function describeTable(service: TestService, table: Table): Promise<string> {
  const lines = async (query: string) => (await service.asOwner(query, [table.oid])).map((row) => String(row['line']))
  const [columns, constraints, indexes, policies, grants] = await Promise.all([
    lines(`select format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
        coalesce(case when a.attgenerated = 's' then ' generated ' else ' default ' end || pg_get_expr(d.adbin, d.adrelid), '')) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`),
    lines(`select format('  constraint %s %s', conname, pg_get_constraintdef(oid)) as line from pg_constraint
      where conrelid = $1 and contype <> 'n' order by contype, conname`),
    lines(`select pg_get_indexdef(i.indexrelid) || ';' as line from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = $1 and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u')) order by c.relname`),
    lines(`select format('policy %s to %s using (%s);', polname, polroles::regrole[], pg_get_expr(polqual, polrelid)) as line
      from pg_policy where polrelid = $1 order by polname`),
    lines(`select format('grant %s to %s;', string_agg(lower(privilege_type), ', ' order by privilege_type), grantee) as line
      from information_schema.role_table_grants where table_schema = 'patchbay' and grantee like 'patchbay_%'
        and table_name = (select relname from pg_class where oid = $1) group by grantee order by grantee`),
  ])
  const head = `table ${table.name}${table.partitions ? ` partition by ${table.partitions}` : ''}${table.is_guarded ? ' -- row-level security forced' : ''} (`
  return [head, [...columns, ...constraints].join(',\n'), ');', ...indexes, ...policies, ...grants].join('\n')
}
