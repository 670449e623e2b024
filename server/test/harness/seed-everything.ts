// One of everything an account can own. A feature that adds a kind of entity adds it here, and the generated tests cover it.
import type { Client } from './client.ts'
import type { TestService } from './service.ts'

type Owner = { accountId: string; organizationId: string }

/** Creates the entities through the interface and returns their ids. */
export async function seedEverything(_service: TestService, client: Client, owner: Owner): Promise<string[]> {
  const key = await client.post('/api/ApiKey', { label: 'seed' })
  await client.post(`/api/AttributeTagAdd/account/${owner.accountId}`, { value: 'seed' })
  return [owner.accountId, owner.organizationId, key.body.id]
}
