import { expect } from 'vitest'
import type { Client } from './client.ts'
import type { TestService } from './service.ts'

let count = 0

export function uniqueEmail(): string {
  return `person${++count}.${process.pid}.${Date.now().toString(36)}@example.com`
}

/** Creates an activated account and returns a client with its keys. */
export async function createAccount(
  service: TestService,
  creator: Client,
  roleName: string,
): Promise<{ id: string; client: Client; email: string }> {
  const email = uniqueEmail()
  const created = await creator.post('/api/Account', {
    email,
    firstName: 'Ada',
    lastName: 'Test',
    roleName,
    activated: true,
  })
  expect(created.status, created.text).toBe(200)
  const revealed = await creator.get(`/api/RevealApiKey/${created.body}`)
  expect(revealed.status, revealed.text).toBe(200)
  return { id: created.body, email, client: service.client(revealed.body) }
}

/** A second organization with its own Manager. */
export async function createOrganization(
  service: TestService,
  name = 'Other',
): Promise<{ organizationId: string; accountId: string; email: string; manager: Client }> {
  const { createOrganizationOn } = await import('./organization.ts')
  const made = await createOrganizationOn(service, name, uniqueEmail())
  return { ...made, manager: service.client(made) }
}
