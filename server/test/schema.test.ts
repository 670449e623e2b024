// server/src/db/schema.sql shows the database in one place. It is made from the migrations, and a change of one without the other fails here.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeSchema } from './harness/describe-schema.ts'
import { startService } from './harness/service.ts'

const file = new URL('../src/db/schema.sql', import.meta.url)

it('schema.sql is what the migrations make (UPDATE_SCHEMA=1 writes it anew)', async () => {
  await using service = await startService({ role: 'api' })
  const actual = `-- Made from the migrations by server/test/schema.test.ts; not run by anything.\n\n${await describeSchema(service)}`
  if (process.env['UPDATE_SCHEMA']) writeFileSync(file, actual)
  expect(actual).toBe(readFileSync(file, 'utf8'))
})
