// What callers read of the catalogue. Drafts and versions of others do not exist for them.
import type { Principal } from '../../access/index.ts'
import { scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { Application } from '../format/definition.ts'
import type { Catalog } from '../shelves/catalog.ts'
import { listVersions, type TemplateKind } from '../shelves/store.ts'
import {
  toBlockTemplateDetails,
  toBlockTemplateItem,
  toFoundApplication,
  toWorkflowTemplateDetails,
  toWorkflowTemplateItem,
} from './to-api-items.ts'

type Deps = { catalog: Catalog; database: Database }
type Search = { page?: number; size?: number; searchTerm?: string; includeLogo?: boolean }
type Choice = { isDraft?: boolean; version?: string }

export const templateNames = { blockTemplate: 'block template', workflowTemplate: 'workflow template' } as const

// Applications do not change while they are remembered, so what is searched in them is put in lower case once.
const searchTexts = new WeakMap<Application, string>()

export async function searchApplications({ catalog }: Deps, principal: Principal, search: Search) {
  const { page = 0, size = 50, includeLogo = false } = search
  const wanted = search.searchTerm?.toLowerCase() ?? ''
  const all = await catalog.listApplications(principal.account.organizationId)
  const found = wanted === '' ? all : all.filter((application) => searchText(application).includes(wanted))
  const shown = found.slice(page * size, (page + 1) * size)
  return { applications: shown.map((application) => toFoundApplication(application, includeLogo)), total: found.length }
}

function searchText(application: Application): string {
  let text = searchTexts.get(application)
  if (text === undefined) {
    // The line end between them keeps a search from matching across the two.
    text = `${application.name}\n${application.description}`.toLowerCase()
    searchTexts.set(application, text)
  }
  return text
}

export async function listWorkflowTemplates({ catalog }: Deps, principal: Principal, hostedOnly: boolean) {
  const listed = await catalog.listWorkflowTemplates(principal.account.organizationId, hostedOnly)
  return [...listed.published, ...listed.drafts].map(toWorkflowTemplateItem)
}

export async function listBlockTemplates({ catalog }: Deps, principal: Principal, hostedOnly: boolean) {
  const listed = await catalog.listBlockTemplates(principal.account.organizationId, hostedOnly)
  return [...listed.published, ...listed.drafts].map(toBlockTemplateItem)
}

export async function getWorkflowTemplate({ catalog }: Deps, principal: Principal, id: string, choice: Choice) {
  const { organizationId } = principal.account
  const template = await catalog.findWorkflowTemplate(organizationId, id, toChoice(choice))
  if (!template) throw notFound(templateNames.workflowTemplate)
  const blocks = await catalog.listBlocksOf(organizationId, template)
  return toWorkflowTemplateDetails(template, blocks, !catalog.isShipped(template.id))
}

export async function getBlockTemplate({ catalog }: Deps, principal: Principal, id: string, choice: Choice) {
  const template = await catalog.findBlockTemplate(principal.account.organizationId, id, toChoice(choice))
  if (!template) throw notFound(templateNames.blockTemplate)
  return toBlockTemplateDetails(template, !catalog.isShipped(template.id))
}

export async function getVersions(deps: Deps, principal: Principal, kind: TemplateKind, id: string) {
  const { organizationId } = principal.account
  const shelf = await deps.catalog.hosted(organizationId)
  const isTheirs = [true, false].some((isDraft) => shelf.findTemplate(kind, id, isDraft) !== undefined)
  if (!isTheirs) throw notFound(templateNames[kind])
  return listVersions(deps.database.forScope(scopeOf(principal)), organizationId, kind, id)
}

function toChoice({ isDraft, version }: Choice): { draft: boolean; version?: string } {
  return { draft: isDraft === true, ...(version === undefined ? {} : { version }) }
}
