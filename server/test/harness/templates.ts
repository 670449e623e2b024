// Workflow templates in several versions, as a partner would publish them.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Client } from './client.ts'

export type TemplateBlock = {
  uniqueBlockId: string
  blockName: string
  script: string
  dataSources?: string[]
  variables?: Record<string, unknown>
}
export type TemplateContent = {
  chain: TemplateBlock[]
  variables?: Record<string, unknown>[]
  applications?: string[]
}

export type SampleTemplate = {
  id: string
  /** Publishes the content as this version. */
  publish(version: string, content: TemplateContent): Promise<void>
}

export function createTemplate(partner: Client): SampleTemplate {
  const id = randomUUID()
  const name = `template-${id.slice(0, 8)}`
  return {
    id,
    publish: async (version, { chain, variables = [], applications = [] }) => {
      const file = {
        id,
        name,
        description: 'A chain of ours.',
        version,
        state: 'Published',
        applications,
        variables,
        chain,
      }
      // JSON is YAML.
      const files = [{ path: `workflows/${name}.yaml`, content: JSON.stringify(file) }]
      const imported = await partner.post('/api/CatalogImport', { files })
      expect(imported.status, imported.text).toBe(200)
    },
  }
}

export const newBlock = (script: string, more: Partial<TemplateBlock> = {}): TemplateBlock => ({
  uniqueBlockId: randomUUID(),
  blockName: 'Only',
  script,
  ...more,
})
