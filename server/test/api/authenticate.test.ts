import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

describe('GET /api/Authenticate', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('tells who is calling', async () => {
    const answer = await service.manager.get('/api/Authenticate')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      myAccount: {
        id: service.firstAccount.accountId,
        email: service.firstAccount.email,
        organizationId: service.firstAccount.organizationId,
        organizationName: 'My organization',
        role: 'Manager',
      },
    })
  })

  it('names the managed account when one is selected', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const answer = await service.manager.as(user.id).get('/api/Authenticate')
    expect(answer.body.myAccount.id).toBe(service.firstAccount.accountId)
    expect(answer.body.managedAccount).toMatchObject({ id: user.id, role: 'User' })
  })

  it.each([
    ['no keys', undefined, {}],
    ['no secret', undefined, { Consumer: 'pbc_x' }],
    ['no consumer', undefined, { SecretKey: 'pbs_x' }],
    ['unknown consumer', { consumer: 'pbc_unknown', secretKey: 'pbs_x' }, {}],
  ])('refuses %s with 401 and a sentence', async (_name, keys, headers) => {
    const answer = await service.client(keys).with(headers).get('/api/Authenticate')
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ code: 401, errorMessage: expect.stringMatching(/\.$/), response: null })
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  })

  it('refuses a wrong secret with the same words as an unknown consumer', async () => {
    const { consumer, secretKey } = service.firstAccount
    const wrong = await service.client({ consumer, secretKey: `${secretKey.slice(0, -1)}x` }).get('/api/Authenticate')
    const unknown = await service.client({ consumer: 'pbc_nobody', secretKey }).get('/api/Authenticate')
    expect(wrong.status).toBe(401)
    expect(wrong.text).toBe(unknown.text)
  })
})
