// An account that has used up what it may store: the quota of the service is small.
import { createAccount } from '../../harness/accounts.ts'
import { eventually } from '../../harness/eventually.ts'
import { sendUpload, uploadForm } from '../../harness/upload.ts'
import { type Refusal, refusal, type Surroundings, shared } from './refusal.ts'

export const smallQuota = { PATCHBAY_ACCOUNT_STORAGE_MB: '2' }

const nothing = '00000000-0000-4000-8000-00000000dead'
const workflow = { name: 'Full', chain: [{ blockName: 'First', script: 'return 1' }] }

export function refusalsOfFullAccounts(at: Surroundings): Refusal[] {
  const full = shared(async () => {
    const { id, client } = await createAccount(at.service, at.manager, 'DevPartner')
    const set = (key: string, jsonData: unknown) => client.post(`/api/MyVaultSetGlobal/${id}/${key}`, { jsonData })
    for (const key of ['a', 'b', 'c']) await set(key, 'x'.repeat(900_000))
    await eventually(async () => (await set('d', 1)).status === 400)
    return { id, client }
  })
  const says = 'This account has used up its storage quota of 2 MiB.'
  const posts = [
    ['ApiProxyEmail', () => ['ApiProxyEmail', { subject: 's', body: 'b', toAccountEmail: true }]],
    ['MyVaultSet', () => [`MyVaultSet/${nothing}/key`, { jsonData: 1 }]],
    ['MyVaultSetGlobal', (id) => [`MyVaultSetGlobal/${id}/key`, { jsonData: 1 }]],
    ['WorkflowCreate', () => ['Workflow', workflow]],
    ['WorkflowUpdate', () => [`Workflow/${nothing}`, { name: 'Another' }]],
    ['PushWorkflows', () => ['PushWorkflows', { workflows: [{ workflow }] }]],
    ['RestoreRevision', () => [`RestoreRevision/${nothing}`, { revision: 1 }]],
    ['RunWorkflow', () => ['RunWorkflow', { workflowId: nothing }]],
    ['SendEvent', () => ['SendEvent', { name: 'full' }]],
    ['RetryItems', () => [`RetryItems/${nothing}`, { runNumber: 1, uniqueBlockId: nothing }]],
    ['RunAndWait', () => [`RunAndWait/${nothing}`, {}]],
    ['CatalogImport', () => ['CatalogImport', { files: [{ path: 'functions/x.js', content: 'return 1' }] }]],
  ] as const satisfies [string, (accountId: string) => [path: string, body: object]][]

  return [
    ...posts.map(([operation, request]) =>
      refusal(operation, 'storage_full', says, async () => {
        const { id, client } = await full()
        const [path, body] = request(id)
        return client.post(`/api/${path}`, body)
      }),
    ),
    refusal('RetryRun', 'storage_full', says, async () =>
      (await full()).client.get(`/api/RetryRun/${nothing}?runNumber=1`),
    ),
    refusal('ProxySecureUpload', 'storage_full', says, async () =>
      sendUpload((await full()).client, uploadForm([{ name: 'a.txt', content: 'a' }])),
    ),
  ]
}
