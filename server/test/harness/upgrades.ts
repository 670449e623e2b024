import { expect } from 'vitest'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'

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
export function upgradeIn(client: Client, id: string, state: string, withinMs = 30_000) {
  return eventually(async () => {
    const upgrade = await readUpgrade(client, id)
    return upgrade.state === state ? upgrade : undefined
  }, withinMs)
}

export async function actOn(client: Client, id: string, action: string): Promise<void> {
  const answer = await client.post(`/api/TemplateUpgradeAction/${id}`, { action })
  expect(answer.status, answer.text).toBe(200)
}
