import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { createWorkflow } from '../harness/workflows.ts'
import { nobody } from './workflow-samples.ts'

let service: TestService
let accountId: string
let client: Client
beforeAll(async () => {
  service = await joinService()
  ;({ id: accountId, client } = await createAccount(service, service.manager, 'User'))
})
afterAll(() => service[Symbol.asyncDispose]())

const keys = (body: object = {}) => client.post('/api/VaultKeys', body)
const setGlobal = (key: string, jsonData: unknown) =>
  client.post(`/api/MyVaultSetGlobal/${accountId}/${encodeURIComponent(key)}`, { jsonData })

describe('VaultKeys', () => {
  it('lists keys with size and time, never values, of the account or of one workflow', async () => {
    const { id } = await createWorkflow(client, ['return 1'])
    await setGlobal('cursor', { secret: 'hidden value' })
    await client.post(`/api/MyVaultSet/${id}/own`, { jsonData: 42 })
    const ofAccount = await keys()
    expect(ofAccount.body).toEqual({
      items: [
        {
          key: 'cursor',
          sizeBytes: '{"secret":"hidden value"}'.length,
          modifyDateTimeUTC: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
    })
    expect(ofAccount.text).not.toContain('hidden')
    expect((await keys({ workflowId: id.toUpperCase() })).body.items).toEqual([
      expect.objectContaining({ key: 'own', sizeBytes: 2 }),
    ])
  })

  it('searches without regard to case, takes % and _ literally, and knows keys with NUL', async () => {
    for (const key of ['Order%1', 'order_2', 'nul\u0000ORDER', 'other']) await setGlobal(key, 1)
    const found = async (searchTerm: string) =>
      (await keys({ searchTerm })).body.items.map((item: { key: string }) => item.key)
    expect(await found('ORDER')).toEqual(['Order%1', 'nul\u0000ORDER', 'order_2'])
    expect(await found('r%')).toEqual(['Order%1'])
    expect(await found('_')).toEqual(['order_2'])
    expect(await found('nothing')).toEqual([])
  })

  it('pages', async () => {
    for (const no of [1, 2, 3]) await setGlobal(`page ${no}`, no)
    const { body } = await keys({ searchTerm: 'page ', page: 1, size: 2 })
    expect([body.items.map((item: { key: string }) => item.key), body.total]).toEqual([['page 3'], 3])
  })

  it('of an unknown workflow is 404, of a malformed id 400', async () => {
    expect((await keys({ workflowId: nobody })).status).toBe(404)
    expect((await keys({ workflowId: 'x' })).status).toBe(400)
  })
})
