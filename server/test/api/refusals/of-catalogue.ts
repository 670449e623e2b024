// What an organization brings into its catalogue, and who may change it.
import { randomUUID } from 'node:crypto'
import { createAccount } from '../../harness/accounts.ts'
import type { Client } from '../../harness/client.ts'
import { createWorkflow } from '../../harness/workflows.ts'
import { applicationFile, blockFiles, type File, functionFile, workflowFile } from '../catalog-files.ts'
import { type Refusal, refusal, type Surroundings, shared } from './refusal.ts'

export function refusalsOfCatalogue(at: Surroundings): Refusal[] {
  const partner = () => createAccount(at.service, at.manager, 'DevPartner')
  const owner = shared(async () => (await partner()).client)
  const another = shared(async () => (await partner()).client)
  const named = () => ({ id: randomUUID(), name: `name${randomUUID().slice(0, 8)}` })
  async function bring<Item>(item: Item, files: File[]): Promise<Item> {
    await (await owner()).post('/api/CatalogImport', { files })
    return item
  }
  async function block(version: string | null) {
    const made = named()
    return bring(made, blockFiles({ ...made, version }))
  }
  async function template(version: string | null) {
    const [made, { id }] = [named(), await block('1')]
    return { ...(await bring(made, [workflowFile({ ...made, version }, id)])), blockId: id }
  }
  async function application() {
    const made = named()
    return bring(made, [applicationFile(made.id, made.name)])
  }
  async function libraryFunction() {
    const made = named()
    return bring(made, [functionFile(made.id, made.name)])
  }
  type Make = () => Promise<{ id: string }>
  const items = [
    ['PublishWorkflowTemplate', () => template(null)],
    ['PublishBlockTemplate', () => block(null)],
    ['DeleteWorkflowTemplateDraft', () => template(null)],
    ['DeleteBlockTemplateDraft', () => block(null)],
    ['DeleteApplication', application],
    ['DeleteBlockTemplate', () => block('1')],
    ['DeleteWorkflowTemplate', () => template('1')],
    ['DeleteFunction', libraryFunction],
  ] as const satisfies [string, Make][]
  const remove = (kind: string, id: string, client: Client = at.manager) => client.get(`/api/Delete${kind}/${id}`)
  const importing = (body: object) => at.manager.post('/api/CatalogImport', body)

  return [
    refusal('CatalogImport', 'catalog_invalid', 'Nothing was imported', () =>
      at.manager.post('/api/CatalogImport', { files: [{ path: 'functions/x.js', content: 'return 1' }] }),
    ),
    ...items.map(([operation, make]) =>
      refusal(operation, 'not_the_creator', 'belongs to the account that created it.', async () =>
        (await another()).get(`/api/${operation}/${(await make()).id}`),
      ),
    ),
    refusal('PublishWorkflowTemplate', 'draft_not_publishable', 'has no draft to publish.', async () =>
      at.manager.get(`/api/PublishWorkflowTemplate/${(await template('1')).id}`),
    ),
    refusal('PublishBlockTemplate', 'draft_not_publishable', 'has no draft to publish.', async () =>
      at.manager.get(`/api/PublishBlockTemplate/${(await block('1')).id}`),
    ),
    refusal('DeleteApplication', 'catalog_item_in_use', 'it is used by the registered applications ', async () => {
      const { id } = await application()
      await at.manager.post('/api/RegApplication', { applicationId: id, credentialsJson: '{"token":"t0ken-value"}' })
      return remove('Application', id)
    }),
    refusal('DeleteBlockTemplate', 'catalog_item_in_use', 'it is used by the workflow templates ', async () =>
      remove('BlockTemplate', (await template('1')).blockId),
    ),
    refusal('DeleteWorkflowTemplate', 'catalog_item_in_use', 'it is used by the workflows ', async () => {
      const { id } = await template('1')
      await at.manager.post('/api/Workflow', { workflowTemplateId: id })
      return remove('WorkflowTemplate', id)
    }),
    refusal('DeleteFunction', 'catalog_item_in_use', 'it is used by the workflows ', async () => {
      const { id, name } = await libraryFunction()
      await createWorkflow(at.manager, [`return fx.${name}('word')`])
      return remove('Function', id)
    }),
    refusal('CatalogImport', 'invalid_request', 'Give either the field files or the field openApi.', () =>
      importing({}),
    ),
    refusal('CatalogImport', 'invalid_request', 'Give either the field openApi.document or the field', () =>
      importing({ openApi: { shortName: 'OWN' } }),
    ),
    refusal('CatalogImport', 'invalid_request', 'The field openApi.trustedHosts needs openApi.url.', () =>
      importing({ openApi: { shortName: 'OWN', document: '{}', trustedHosts: ['example.com'] } }),
    ),
    refusal('PublishBlockTemplate', 'draft_not_publishable', 'The version "1" is already published.', async () => {
      const { id, name } = await block('1')
      await bring({}, blockFiles({ id, name, version: null }))
      return (await owner()).get(`/api/PublishBlockTemplate/${id}?version=1`)
    }),
  ]
}
