import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database, sql } from '../../src/db/index.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('statements are not compiled, also where the server would compile them', async () => {
  const { organizationId, accountId } = service.firstAccount
  const name = new URL(service.databaseUrl).pathname.slice(1)
  await service.asOwner(`alter database ${name} set jit = on`)
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  for (const db of [database.system, database.lookups, database.forScope({ organizationId, accountId })]) {
    expect((await db.query<{ jit: string }>(sql`show jit`)).rows).toEqual([{ jit: 'off' }])
  }
})
