// The vault as runs use it, without HTTP between.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database, type Scope } from '../../src/db/index.ts'
import { KeyRing, MasterKeys } from '../../src/secrets/index.ts'
import { createVault, type Vault } from '../../src/vault/index.ts'
import { createAccount } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

describe('the vault of scripts', () => {
  let service: TestService
  let database: Database
  let vault: Vault
  let scope: Scope
  let workflowId: string
  beforeAll(async () => {
    service = await joinService()
    database = new Database({ connectionString: service.databaseUrl }, () => {})
    const base64 = readFileSync(join(service.dataDir, 'master.key'), 'utf8')
    const keyRing = await KeyRing.load(database, new MasterKeys({ kind: 'value', base64 }))
    vault = createVault({ database, keyRing, ledger: { add: () => {} } })
    const { organizationId, accountId } = service.firstAccount
    scope = { organizationId, accountId }
    const [row] = await service.asOwner(
      `insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
       values (gen_random_uuid(), $1, $2, 'W', '', true) returning id`,
      [organizationId, accountId],
    )
    workflowId = row?.['id'] as string
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const inWorkflow = () => ({ workflowId })
  const inAccount = () => ({ accountId: scope.accountId })

  it('shares its entries with the interface', async () => {
    await vault.set(scope, inWorkflow(), 'from a script', { a: 1 })
    expect((await service.manager.get(`/api/MyVaultGet/${workflowId}/from%20a%20script`)).body).toEqual({ a: 1 })
    await service.manager.post(`/api/MyVaultSetGlobal/${scope.accountId}/g`, { jsonData: [2] })
    expect(await vault.get(scope, inAccount(), 'g')).toEqual([2])
    expect(await vault.contains(scope, inAccount(), 'g')).toBe(true)
    expect(await vault.remove(scope, inAccount(), 'g')).toBe(true)
    expect(await vault.remove(scope, inAccount(), 'g')).toBe(false)
    expect(await vault.get(scope, inAccount(), 'g')).toBe(null)
  })

  it('takes keys that no address could carry', async () => {
    for (const key of ['x'.repeat(512), '\ud800 half a character', '/']) {
      await vault.set(scope, inWorkflow(), key, key.length)
      expect(await vault.get(scope, inWorkflow(), key)).toBe(key.length)
    }
  })

  it.each([['none'], ['x'.repeat(513)]])('refuses keys without a character or with more than 512', async (text) => {
    const key = text === 'none' ? '' : text
    await expect(vault.set(scope, inWorkflow(), key, 1)).rejects.toThrow('A vault key must have 1 to 512 characters')
    const answer = await service.manager.post(`/api/MyVaultSet/${workflowId}/${key}`, { jsonData: 1 })
    expect(answer.status).toBe(400)
  })

  it('a deferred value that the vault would refuse fails its block', async () => {
    const block = 'session.vars.was = 1; myVault.setOnComplete("x".repeat(513), 1); return 1'
    const workflow = await deployWorkflow(service.manager, [block])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Error', errorMessage: expect.stringContaining('1 to 512 characters') })
    const large = await deployWorkflow(service.manager, ['session.vault.big = "x".repeat(1100000); return 1'])
    expect(await runToEnd(service.manager, large.id)).toMatchObject({ status: 'Error' })
  })

  it('stores undefined as null', async () => {
    await vault.set(scope, inWorkflow(), 'undefined', undefined as never)
    expect(await vault.contains(scope, inWorkflow(), 'undefined')).toBe(true)
    expect(await vault.get(scope, inWorkflow(), 'undefined')).toBe(null)
  })

  it('refuses a value over 1 MiB with a sentence', async () => {
    const set = vault.set(scope, inWorkflow(), 'large', 'x'.repeat(1024 * 1024))
    await expect(set).rejects.toThrow(/at most 1048576 bytes/)
  })

  it('refuses the entries of another account', async () => {
    const user = await createAccount(service, service.manager, 'User')
    await expect(vault.get(scope, { accountId: user.id }, 'x')).rejects.toThrow('not found')
    await expect(vault.set(scope, { accountId: user.id }, 'x', 1)).rejects.toThrow('not found')
  })

  it('finds nothing to write to when the workflow is gone', async () => {
    const gone = { workflowId: '00000000-0000-4000-8000-000000000000' }
    await expect(vault.set(scope, gone, 'k', 1)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('writes deferred values with the transaction of their caller or not at all', async () => {
    const entries = [
      { at: inWorkflow(), key: 'deferred', value: 'first' },
      { at: inWorkflow(), key: 'deferred', value: 'last' },
      { at: inAccount(), key: 'deferred', value: { n: 1 } },
    ]
    const failing = database.system.transaction(async (tx) => {
      await vault.writeAll(tx, scope, entries)
      throw new Error('the run did not complete')
    })
    await expect(failing).rejects.toThrow('did not complete')
    expect(await vault.get(scope, inWorkflow(), 'deferred')).toBe(null)
    // A run's completion may be on either role.
    for (const db of [database.system, database.forScope(scope)]) {
      await db.transaction((tx) => vault.writeAll(tx, scope, entries))
      expect(await vault.get(scope, inWorkflow(), 'deferred')).toBe('last')
      expect(await vault.get(scope, inAccount(), 'deferred')).toEqual({ n: 1 })
    }
    await database.system.transaction((tx) => vault.writeAll(tx, scope, []))
  })
})
