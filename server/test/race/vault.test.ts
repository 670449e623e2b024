// Writes to a vault whose holder is deleted in the same moment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { behindLock } from '../harness/held-lock.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ role: 'api' })
})
afterAll(() => service[Symbol.asyncDispose]())

const set = (workflowId: string, key: string, value: unknown) =>
  service.manager.post(`/api/MyVaultSet/${workflowId}/${key}`, { jsonData: value })

async function createWorkflow(): Promise<string> {
  const chain = [{ blockName: 'one', script: 'return 1' }]
  return (await service.manager.post('/api/Workflow', { name: 'W', chain })).body as string
}

/** Deletes a row and makes it final only once `write` waits for it. */
async function deleteUnder<Result>(statement: string, id: string, write: () => Promise<Result>): Promise<Result> {
  const [written] = await behindLock(service, { statement, values: [id] }, [write])
  return written as Result
}

describe('a write to the vault', () => {
  it.each([
    ['of a new key', 'new'],
    ['of a key that was there', 'old'],
  ])(
    '%s that loses against the deletion of its workflow is one to a workflow that does not exist',
    async (_of, key) => {
      const workflowId = await createWorkflow()
      expect((await set(workflowId, 'old', 1)).status).toBe(200)
      const answer = await deleteUnder('delete from workflows where id = $1', workflowId, () => set(workflowId, key, 2))
      expect(answer.status).toBe(404)
      const never = await set('00000000-0000-4000-8000-000000000000', key, 2)
      expect(answer.text).toBe(never.text)
      expect(await service.asOwner('select from vault_entries where workflow_id = $1', [workflowId])).toEqual([])
      const changes = await service.asOwner(`select from audit_log where action = 'vault.set' and target = $1`, [
        workflowId,
      ])
      expect(changes).toHaveLength(1)
    },
  )

  it('that loses against the deletion of its account is one to an account that does not exist', async () => {
    const account = await createAccount(service, service.manager, 'User')
    const write = (key: string) =>
      service.manager.as(account.id).post(`/api/MyVaultSetGlobal/${account.id}/${key}`, { jsonData: 1 })
    expect((await write('first')).status).toBe(200)
    const answer = await deleteUnder('delete from accounts where id = $1', account.id, () => write('second'))
    expect(answer.status).toBe(404)
  })

  it('beside a deletion is stored and then gone, or refused, and never a fault', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 10; round++) {
      const workflowId = await createWorkflow()
      const writes = Array.from({ length: 8 }, (_, index) => set(workflowId, `key${index % 3}`, index))
      const [deleted, ...answers] = await Promise.all([
        service.manager.get(`/api/DeleteWorkflow/${workflowId}`),
        ...writes,
        ...Array.from({ length: 4 }, () => service.manager.get(`/api/MyVaultGet/${workflowId}/key0`)),
      ])
      expect(deleted?.status).toBe(200)
      statuses.push(...answers.map((answer) => answer.status))
      expect((await set(workflowId, 'after', 1)).status).toBe(404)
      expect(await service.asOwner('select from vault_entries where workflow_id = $1', [workflowId])).toEqual([])
    }
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
  })
})
