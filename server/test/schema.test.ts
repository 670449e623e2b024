// server/src/db/schema.sql shows the database in one place. It is made from the migrations, and a change of one without the other fails here.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { timeColumns } from '../src/clock/time-columns.ts'
import { describeSchema } from './harness/describe-schema.ts'
import { startService } from './harness/service.ts'

const file = new URL('../src/db/schema.sql', import.meta.url)

it('schema.sql is what the migrations make (UPDATE_SCHEMA=1 writes it anew)', async () => {
  await using service = await startService({ role: 'api' })
  const actual = `-- Made from the migrations by server/test/schema.test.ts; not run by anything.\n\n${await describeSchema(service)}`
  if (process.env['UPDATE_SCHEMA']) writeFileSync(file, actual)
  expect(actual).toBe(readFileSync(file, 'utf8'))
})

it('every column with a time is listed with what becomes of it when the clock of the database jumps (clock/time-columns.ts)', async () => {
  await using service = await startService({ role: 'api' })
  const rows = await service.asOwner(`
    select c.relname::text as "table", a.attname::text as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'patchbay'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype)`)
  const inSchema = rows.map(({ table, column }) => `${table}.${column}`)
  const listed = Object.entries(timeColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  expect(listed.sort()).toEqual(inSchema.sort())
})
