// Small OpenAPI documents, and what an import makes of them.
import { expect } from 'vitest'
import { fromOpenApi } from '../../src/catalog/openapi/from-openapi.ts'

export function read(document: unknown, sourceUrl?: string) {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const outcome = fromOpenApi(text, { namespace: 'organization-1', ...(sourceUrl ? { sourceUrl } : {}) })
  if (outcome.kind === 'refused') throw new Error(outcome.message)
  expect(outcome.catalog.problems).toEqual([])
  const [application] = outcome.catalog.applications
  if (!application) throw new Error('no application')
  const block = (name: string) => {
    const found = outcome.catalog.blockTemplates.find((item) => item.name === name)
    if (!found) throw new Error(`no block ${name}`)
    return found
  }
  return { ...outcome, application, block, blocks: outcome.catalog.blockTemplates }
}

export const get = (more: object = {}) => ({ get: { operationId: 'read', responses: {}, ...more } })
export const small = (more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  servers: [{ url: 'https://small.example' }],
  paths: { '/a': get() },
  ...more,
})
