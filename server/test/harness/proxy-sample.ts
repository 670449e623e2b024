// An account with a registered application whose target is a server of the test.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createAccount } from './accounts.ts'
import type { Client } from './client.ts'
import { type HttpTarget, startHttpTarget } from './http-target.ts'
import { joinService } from './joined-service.ts'
import type { TestService } from './service.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

export type ProxySample = {
  service: TestService
  target: HttpTarget
  /** New for each test. */
  user: Client
  /** Answers with what it was sent. */
  tell: HttpTarget['answer']
  register(credentials?: object, applicationId?: string): Promise<string>
  send(body: object, query?: string, client?: Client): ReturnType<Client['post']>
  get(url: string, client?: Client): ReturnType<Client['get']>
}

/** Filled before the first test of the file, and with a new account before each. */
export function useProxySample(): ProxySample {
  const sample: ProxySample = {
    service: undefined as never,
    target: undefined as never,
    user: undefined as never,
    tell: ({ method, url, headers, body }) => ({ json: { method, url, headers, body: body.toString() } }),
    async register(credentials = {}, applicationId = http) {
      const { user, target } = sample
      const given = applicationId === http ? { baseUrl: `${target.origin}/v1`, ...credentials } : credentials
      const answer = await user.post('/api/RegApplication', { applicationId, credentialsJson: JSON.stringify(given) })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    },
    send: (body, query = '', client = sample.user) => client.post(`/api/ApiSend/HTTP${query}`, body),
    get: (url, client = sample.user) => client.get(`/api/ApiGet?url=${encodeURIComponent(url)}`),
  }
  beforeAll(async () => {
    sample.service = await joinService()
    sample.target = await startHttpTarget()
  })
  afterAll(async () => {
    await sample.target[Symbol.asyncDispose]()
    await sample.service[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    sample.user = (await createAccount(sample.service, sample.service.manager, 'User')).client
    sample.target.received.length = 0
    sample.target.answer = sample.tell
  })
  return sample
}
