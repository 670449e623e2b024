// A user who registers applications, and a target on loopback that answers their calls.
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createAccount } from './accounts.ts'
import type { Client } from './client.ts'
import { type HttpTarget, startHttpTarget } from './http-target.ts'
import { joinService } from './joined-service.ts'
import type { TestService } from './service.ts'

export const applications = {
  test: 'f3055934-bffe-55b6-b9e5-ce20a3a8563b',
  http: 'e31040e1-1997-54d0-bfa6-43f910dc7be6',
  shop: 'd67d072b-d997-5cbf-83c0-58e1808cf07a',
  library: 'a249afab-8ee8-511d-9308-361fe7a44b13',
  smtp: 'd58d931d-8622-50f6-925e-265e3c224e69',
}

type Surroundings = { service: TestService; target: HttpTarget; user: Client; userId: string }

/** One service and one target for a test file; a new user, and a target that answers with an empty list, for each test. */
export function useRegisteredApplications() {
  const at = {} as Surroundings
  beforeAll(async () => {
    at.service = await joinService()
    at.target = await startHttpTarget()
  })
  afterAll(async () => {
    await at.target[Symbol.asyncDispose]()
    await at.service[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    const made = await createAccount(at.service, at.service.manager, 'User')
    at.user = made.client
    at.userId = made.id
    at.target.received.length = 0
    at.target.answer = () => ({ json: [] })
  })
  return {
    at,
    create: (applicationId: string, credentials?: unknown, more: object = {}, client = at.user) =>
      client.post('/api/RegApplication', {
        applicationId,
        ...(credentials === undefined ? {} : { credentialsJson: JSON.stringify(credentials) }),
        ...more,
      }),
    search: async (body: object = {}, client = at.user) => (await client.post('/api/RegApplications', body)).body,
  }
}
