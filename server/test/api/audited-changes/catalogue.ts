import { randomUUID } from 'node:crypto'
import type { GraphServer } from '../../harness/graph-server.ts'
import { applicationFile, blockFiles, type File, workflowFile } from '../catalog-files.ts'
import { about, type Bench, type Changes } from './change.ts'

export const graphApps = {
  connector: { clientId: '11111111-0000-4000-8000-000000000001', secret: 'connector-secret' },
  admin: { clientId: '22222222-0000-4000-8000-000000000002', secret: 'admin-secret' },
  sitePath: '/sites/Team',
}

export function changesOfCatalogue({ service, manager, newName, post, get }: Bench, graph: GraphServer): Changes {
  const bring = (files: File[]) => manager.post('/api/CatalogImport', { files })
  async function newConnection() {
    const applications = (await manager.get('/api/Applications')).body as { id: string; shortName: string }[]
    const applicationId = applications.find(({ shortName }) => shortName === 'TEST')?.id
    return { applicationId, credentialsJson: '{}' }
  }
  async function connection(): Promise<string> {
    return (await manager.post('/api/RegApplication', await newConnection())).body
  }
  async function block(version: string | null): Promise<string> {
    const id = randomUUID()
    await bring(blockFiles({ id, name: newName(), version }))
    return id
  }
  async function template(version: string | null): Promise<string> {
    const id = randomUUID()
    await bring([workflowFile({ id, name: newName(), version }, await block('1'))])
    return id
  }
  const grant = {
    tenantId: graph.tenantId,
    adminClientId: graphApps.admin.clientId,
    adminClientSecret: graphApps.admin.secret,
    connectorClientId: graphApps.connector.clientId,
    host: graph.host,
    sitePath: graphApps.sitePath,
    role: 'write',
    authUrl: graph.origin,
    graphUrl: graph.origin,
  }

  return {
    CatalogImport: {
      'catalog.imported': async () => {
        const files = blockFiles({ id: randomUUID(), name: newName(), version: '1' })
        return about(service.firstAccount.organizationId, () => bring(files))
      },
    },
    PublishWorkflowTemplate: {
      'workflowTemplate.published': async () => get(`/api/PublishWorkflowTemplate/${await template(null)}`),
    },
    PublishBlockTemplate: {
      'blockTemplate.published': async () => get(`/api/PublishBlockTemplate/${await block(null)}`),
    },
    DeleteWorkflowTemplateDraft: {
      'workflowTemplate.draftDeleted': async () => get(`/api/DeleteWorkflowTemplateDraft/${await template(null)}`),
    },
    DeleteBlockTemplateDraft: {
      'blockTemplate.draftDeleted': async () => get(`/api/DeleteBlockTemplateDraft/${await block(null)}`),
    },
    DeleteApplication: {
      'application.deleted': async () => {
        const id = randomUUID()
        await bring([applicationFile(id, `OWN${randomUUID().slice(0, 6).toUpperCase()}`)])
        return get(`/api/DeleteApplication/${id}`)
      },
    },
    DeleteBlockTemplate: {
      'blockTemplate.deleted': async () => get(`/api/DeleteBlockTemplate/${await block('1')}`),
    },
    DeleteWorkflowTemplate: {
      'workflowTemplate.deleted': async () => get(`/api/DeleteWorkflowTemplate/${await template('1')}`),
    },
    DeleteFunction: {
      'function.deleted': async () => {
        const [id, name] = [randomUUID(), newName()]
        const head = `id: ${id}\nname: ${name}\ndescription: d\ncategory: c\npackage: p\nisAsync: false\narguments: {}\nexamples: []`
        await bring([{ path: `functions/${name}.js`, content: `/*---\n${head}\n---*/\nreturn 1\n` }])
        return get(`/api/DeleteFunction/${id}`)
      },
    },
    RegApplicationCreate: {
      'registeredApplication.created': async () => post('/api/RegApplication', await newConnection()),
    },
    RegApplicationUpdate: {
      'registeredApplication.changed': async () =>
        post(`/api/RegApplication/${await connection()}`, { tagText: 'another' }),
    },
    DeleteRegApplication: {
      'registeredApplication.deleted': async () => get(`/api/DeleteRegApplication/${await connection()}`),
    },
    DocumentLibraryGrant: { 'documentLibrary.granted': async () => post('/api/DocumentLibraryGrant', grant) },
  }
}
