import type { HandlersOf } from '../http/index.ts'
import { type DeleteDeps, deleteItem } from './change/delete-item.ts'
import { discardDraft } from './change/discard-draft.ts'
import { type ImportDeps, importCatalog } from './change/import.ts'
import { publishDraft } from './change/publish.ts'
import { exportCatalog } from './read/export.ts'
import { listApplications, searchApplications } from './read/list-applications.ts'
import { getBlockTemplate, getVersions, getWorkflowTemplate } from './read/read-templates.ts'
import {
  listBlockTemplates,
  listWorkflowTemplates,
  searchBlockTemplates,
  searchWorkflowTemplates,
} from './read/search-templates.ts'

type Names =
  | 'Applications'
  | 'ApplicationsSearch'
  | 'WorkflowTemplates'
  | 'WorkflowTemplatesSearch'
  | 'WorkflowTemplate'
  | 'WorkflowTemplateVersions'
  | 'BlockTemplates'
  | 'BlockTemplatesSearch'
  | 'BlockTemplate'
  | 'BlockTemplateVersions'
  | 'CatalogImport'
  | 'CatalogExport'
  | 'PublishWorkflowTemplate'
  | 'PublishBlockTemplate'
  | 'DeleteWorkflowTemplateDraft'
  | 'DeleteBlockTemplateDraft'
  | 'DeleteApplication'
  | 'DeleteBlockTemplate'
  | 'DeleteWorkflowTemplate'
  | 'DeleteFunction'

export function catalogRoutes(deps: ImportDeps & DeleteDeps): HandlersOf<Names> {
  return {
    Applications: ({ principal }) => listApplications(deps, principal),
    ApplicationsSearch: ({ principal, body }) => searchApplications(deps, principal, body),
    WorkflowTemplates: ({ principal, query }) =>
      listWorkflowTemplates(deps, principal, query.filterByHostedTemplates === true),
    WorkflowTemplatesSearch: ({ principal, body }) => searchWorkflowTemplates(deps, principal, body),
    WorkflowTemplate: ({ principal, params, query }) => getWorkflowTemplate(deps, principal, params.id, query),
    WorkflowTemplateVersions: ({ principal, params }) => getVersions(deps, principal, 'workflowTemplate', params.id),
    BlockTemplates: ({ principal, query }) =>
      listBlockTemplates(deps, principal, query.filterByHostedTemplates === true),
    BlockTemplatesSearch: ({ principal, body }) => searchBlockTemplates(deps, principal, body),
    BlockTemplate: ({ principal, params, query }) => getBlockTemplate(deps, principal, params.id, query),
    BlockTemplateVersions: ({ principal, params }) => getVersions(deps, principal, 'blockTemplate', params.id),
    CatalogImport: ({ principal, body, query }) => importCatalog(deps, principal, body, query),
    CatalogExport: ({ principal, query }) => exportCatalog(deps, principal, query.isDraft === true),
    PublishWorkflowTemplate: ({ principal, params, query }) =>
      publishDraft(deps, principal, { kind: 'workflowTemplate', id: params.id, version: query.version }),
    PublishBlockTemplate: ({ principal, params, query }) =>
      publishDraft(deps, principal, { kind: 'blockTemplate', id: params.id, version: query.version }),
    DeleteWorkflowTemplateDraft: ({ principal, params }) =>
      discardDraft(deps, principal, 'workflowTemplate', params.id),
    DeleteBlockTemplateDraft: ({ principal, params }) => discardDraft(deps, principal, 'blockTemplate', params.id),
    DeleteApplication: ({ principal, params }) => deleteItem(deps, principal, 'application', params.id),
    DeleteBlockTemplate: ({ principal, params }) => deleteItem(deps, principal, 'blockTemplate', params.id),
    DeleteWorkflowTemplate: ({ principal, params }) => deleteItem(deps, principal, 'workflowTemplate', params.id),
    DeleteFunction: ({ principal, params }) => deleteItem(deps, principal, 'function', params.id),
  }
}
