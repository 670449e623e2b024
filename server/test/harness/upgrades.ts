import { expect } from 'vitest'
import { createAccount } from './accounts.ts'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'
import { startService } from './service.ts'
import { createTemplate, newBlock, type TemplateContent } from './templates.ts'

export async function previewUpgrade(client: Client, workflowTemplateId: string, more: Record<string, unknown> = {}) {
  const answer = await client.post('/api/TemplateUpgradePreview', { workflowTemplateId, page: 0, size: 1000, ...more })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

export async function startUpgrade(
  client: Client,
  workflowTemplateId: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await client.post('/api/TemplateUpgrade', { workflowTemplateId, waveMinutes: 0, ...more })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.upgradeId
}

export async function readUpgrade(client: Client, id: string) {
  const answer = await client.get(`/api/TemplateUpgrade/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Waits until the upgrade is in a state. */
export function upgradeIn(client: Client, id: string, state: string) {
  return eventually(async () => {
    const upgrade = await readUpgrade(client, id)
    return upgrade.state === state ? upgrade : undefined
  })
}

export async function actOn(client: Client, id: string, action: string): Promise<void> {
  const answer = await client.post(`/api/TemplateUpgradeAction/${id}`, { action })
  expect(answer.status, answer.text).toBe(200)
}

/** A service with a DevPartner that may activate accounts. */
export async function startWithPartner() {
  const service = await startService()
  const { client, id, email } = await createAccount(service, service.manager, 'DevPartner')
  await service.manager.post(`/api/AccountUpdate/${id}`, { canActivateAccounts: true })
  return { service, partner: client, partnerId: id, partnerEmail: email }
}

export const script = (first: string, last: string) => [first, 'const kept = 1', 'const also = 2', last].join('\n')

export async function makeWorkflow(client: Client, workflowTemplateId: string, more: Record<string, unknown> = {}) {
  const made = await client.post('/api/Workflow', { workflowTemplateId, ...more })
  expect(made.status, made.text).toBe(200)
  return made.body as string
}
export const read = async (client: Client, id: string, query = '') =>
  (await client.get(`/api/Workflow/${id}${query}`)).body
export const update = async (client: Client, id: string, body: Record<string, unknown>) => {
  const answer = await client.post(`/api/Workflow/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
}
export const deploy = async (client: Client, id: string) =>
  expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
export const itemOf = (answer: { items: { workflowId: string }[] }, id: string) =>
  answer.items.find(({ workflowId }) => workflowId === id)

/** A template of one block in two versions, with one workflow of the first. */
export async function twoVersions(
  partner: Client,
  first = script('let a = 1', 'return a'),
  second = script('let a = 1', 'return a + 1'),
  more: Partial<TemplateContent> = {},
) {
  const template = createTemplate(partner)
  const block = newBlock(first)
  await template.publish('1', { chain: [block] })
  const workflowId = await makeWorkflow(partner, template.id)
  await template.publish('2', { chain: [{ ...block, script: second }], ...more })
  return { ...template, block, workflowId }
}
