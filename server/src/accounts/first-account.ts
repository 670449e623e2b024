// The first start makes one organization, one Manager with every permission, and one key pair, exactly once however many processes start.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noAccount, recordAudit } from '../audit/index.ts'
import { type Database, sql, type Tx } from '../db/index.ts'
import { insertKey, makeKeyPair } from '../keys/index.ts'
import { newId } from '../lib/id.ts'
import { insertDataKey, type KeyRing } from '../secrets/index.ts'
import { createLink, invitationHours } from '../sessions/index.ts'
import { canActivateAccounts } from './create.ts'
import { insertAccount, insertOrganization } from './store.ts'

export type FirstAccount = {
  baseUrl: string
  organizationId: string
  accountId: string
  email: string
  consumer: string
  secretKey: string
}

type Deps = { database: Database; keyRing: KeyRing; baseUrl: string }

export async function createOrganization(
  deps: Deps,
  tx: Tx,
  name: string,
  email: string,
): Promise<{ account: FirstAccount; signInLink: string }> {
  const organizationId = newId()
  const accountId = newId()
  const dataKey = await deps.keyRing.newDataKey(accountId)
  const pair = makeKeyPair(deps.keyRing.systemKey('apiKeyHash'))
  await insertOrganization(tx, organizationId, name)
  await insertAccount(tx, {
    id: accountId,
    organizationId,
    email,
    firstName: 'First',
    lastName: 'Manager',
    role: 'Manager',
    state: 'active',
    countryKey: null,
    permissions: [canActivateAccounts],
    createdBy: null,
  })
  await insertDataKey(tx, accountId, dataKey)
  await insertKey(tx, accountId, pair, { label: 'first key pair' })
  await recordAudit(tx, noAccount(organizationId), {
    action: 'organization.created',
    target: organizationId,
    details: { name, email },
  })
  const link = createLink(tx, { baseUrl: deps.baseUrl, accountId, purpose: 'firstSignIn', hours: invitationHours })
  await link.stored
  return {
    account: {
      baseUrl: deps.baseUrl,
      organizationId,
      accountId,
      email,
      consumer: pair.consumer,
      secretKey: pair.secretKey,
    },
    signInLink: link.url,
  }
}

/** Undefined when there is an organization already. */
export async function createFirstAccount(
  deps: Deps & { dataDir: string },
): Promise<{ account: FirstAccount; signInLink: string } | undefined> {
  const file = join(deps.dataDir, 'first-account.json')
  return deps.database.system.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(7230118443)`)
    const { rows } = await tx.query<{ exists: boolean }>(sql`select exists (select from organizations) as exists`)
    if (rows[0]?.exists) return undefined
    const made = await createOrganization(deps, tx, 'My organization', 'manager@localhost')
    // Written before the commit: keys that nobody was told of would be keys lost. A file without its account is overwritten next time.
    mkdirSync(deps.dataDir, { recursive: true, mode: 0o700 })
    rmSync(file, { force: true })
    writeFileSync(file, `${JSON.stringify(made.account, null, 2)}\n`, { mode: 0o600 })
    return made
  })
}
