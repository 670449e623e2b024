import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOrganization } from '../../src/accounts/index.ts'
import { Database } from '../../src/db/index.ts'
import { KeyRing, MasterKeys } from '../../src/secrets/index.ts'
import type { TestService } from './service.ts'

/** What `npm run admin -- create-organization` does, without starting a program for it. */
export async function createOrganizationOn(service: TestService, name: string, email: string) {
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  const base64 = readFileSync(join(service.dataDir, 'master.key'), 'utf8')
  const keyRing = await KeyRing.load(database, new MasterKeys({ kind: 'value', base64 }))
  const made = await database.system.transaction((tx) =>
    createOrganization({ database, keyRing, baseUrl: service.baseUrl }, tx, name, email),
  )
  return made.account
}
