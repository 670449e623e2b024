// One of everything an account can own. A feature that adds a kind of entity adds it here, and the generated tests cover it.
import { expect } from 'vitest'
import type { Answer, Client } from './client.ts'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'
import { createTemplate, newBlock } from './templates.ts'
import { sendUpload, uploadForm } from './upload.ts'
import { enableWebhook } from './webhooks.ts'

type Owner = { accountId: string; organizationId: string }

/** Creates the entities through the interface and returns their ids. */
export async function seedEverything(_service: TestService, client: Client, owner: Owner): Promise<string[]> {
  const key = made(await client.post('/api/ApiKey', { label: 'seed' })).id
  made(await client.post(`/api/AttributeTagAdd/account/${owner.accountId}`, { value: 'seed' }))
  const applications = made(await client.get('/api/Applications')) as { id: string; shortName: string }[]
  const applicationId = applications.find((application) => application.shortName === 'TEST')?.id
  const connection = made(
    await client.post('/api/RegApplication', { applicationId, tagText: 'seed', credentialsJson: '{}' }),
  )
  const workflow = made(
    await client.post('/api/Workflow', {
      name: 'seed',
      applications: { TEST: connection },
      variables: { greeting: 'hello' },
      chain: [{ blockName: 'first', script: "return { said: 'secret of the seed' }" }],
    }),
  )
  const block = made(await client.get(`/api/Workflow/${workflow}`)).chain[0].uniqueBlockId
  // The run gives one item, so this raises an alarm.
  const expectation = { kind: 'itemsBetween', uniqueBlockId: block, min: 2 }
  made(await client.post(`/api/Expectations/${workflow}`, { expectations: [expectation] }))
  made(await client.get(`/api/DeployWorkflow/${workflow}`))
  made(await client.post('/api/RunWorkflow', { workflowId: workflow }))
  const items = await seedFailedItem(client)
  const alarm = await eventually(async () => made(await client.post('/api/Alarms', { isOpen: true })).items[0]?.id)
  const replay = made(await client.post(`/api/Replay/${workflow}`, {})).replayId
  const approval = await seedApproval(client)
  const webhook = await enableWebhook(client, workflow)
  made(await client.post(`/api/WebhookQueueHold/${workflow}`))
  const request = made(await webhook.send({ said: 'secret of the seed' })).webhookId
  made(await client.post(`/api/WebhookReplay/${workflow}`, {}))
  made(await client.post(`/api/MyVaultSet/${workflow}/seed`, { jsonData: { value: 'secret of the seed' } }))
  made(await client.post(`/api/MyVaultSetGlobal/${owner.accountId}/seed`, { jsonData: 'secret of the seed' }))
  made(await client.post('/api/ApiProxyEmail', { subject: 'seed', body: 'secret of the seed', toAccountEmail: true }))
  const mail = made(await client.post('/api/GetOutbox', { size: 1 })).items[0].id
  const share = made(await sendUpload(client, uploadForm([{ name: 'seed.txt', content: 'secret of the seed' }])))
  const upgrade = await seedUpgrade(client)
  const own = [
    owner.accountId,
    owner.organizationId,
    key,
    connection,
    workflow,
    block,
    replay,
    request,
    mail,
    share,
    alarm,
    items,
    ...approval,
  ]
  return [...own, ...upgrade]
}

async function seedFailedItem(client: Client): Promise<string> {
  const chain = [
    {
      script: "throw new Error('secret of the seed')",
      forEach: { items: "['secret of the seed']", maxFailures: 'all' },
    },
  ]
  const workflowId = made(await client.post('/api/Workflow', { name: 'seed of items', chain }))
  made(await client.get(`/api/DeployWorkflow/${workflowId}`))
  made(await client.post('/api/RunWorkflow', { workflowId }))
  await eventually(
    async () => made(await client.post('/api/FailedItems', { workflowId, page: 0, size: 1 })).total === 1,
  )
  return workflowId
}

/** A run that waits for somebody, and its workflow. */
async function seedApproval(client: Client): Promise<string[]> {
  const wait = { approval: { title: "'secret of the seed'", to: ['nobody@people.example'] } }
  const chain = [{ blockName: 'ask', script: 'return 1', wait }]
  const workflow = made(await client.post('/api/Workflow', { name: 'seed approval', chain }))
  made(await client.get(`/api/DeployWorkflow/${workflow}`))
  made(await client.post('/api/RunWorkflow', { workflowId: workflow }))
  const approval = await eventually(
    async () => made(await client.post('/api/Approvals', { isOpen: true })).items[0]?.id,
  )
  return [workflow, approval]
}

/** Only partners have templates of their own and upgrade workflows. */
async function seedUpgrade(client: Client): Promise<string[]> {
  if ((await client.post('/api/TemplateUpgrades', {})).status === 403) return []
  const template = createTemplate(client)
  const block = newBlock('return 1')
  await template.publish('1', { chain: [block] })
  const workflow = made(await client.post('/api/Workflow', { workflowTemplateId: template.id }))
  await template.publish('2', { chain: [{ ...block, script: "return 'secret of the seed'" }] })
  const upgrade = made(await client.post('/api/TemplateUpgrade', { workflowTemplateId: template.id })).upgradeId
  return [template.id, workflow, upgrade]
}

function made(answer: Pick<Answer, 'status' | 'body' | 'text'>) {
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
