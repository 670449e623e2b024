// Lists of templates: the short form without scripts, whole up to the size of one answer, or page by page.
import { listSizeMax, readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { listTags } from '../../tags/index.ts'
import type { BlockTemplate, WorkflowTemplate } from '../format/definition.ts'
import type { TemplateKind } from '../shelves/store.ts'
import type { ReadDeps } from './read-templates.ts'
import { toBlockTemplateItem, toWorkflowTemplateItem } from './to-api-items.ts'

type Search = { page?: number; size?: number; searchTerm?: string; applicationShortName?: string }

export async function listWorkflowTemplates(deps: ReadDeps, principal: Principal, hostedOnly: boolean) {
  const { published, drafts } = await deps.catalog.listWorkflowTemplates(principal.account.organizationId, hostedOnly)
  const shown = [...published, ...drafts].slice(0, listSizeMax)
  return withTags(deps, principal, { kind: 'workflowTemplate', templates: shown, toItem: toWorkflowTemplateItem })
}

export async function listBlockTemplates(deps: ReadDeps, principal: Principal, hostedOnly: boolean) {
  const { published, drafts } = await deps.catalog.listBlockTemplates(principal.account.organizationId, hostedOnly)
  const shown = [...published, ...drafts].slice(0, listSizeMax)
  return withTags(deps, principal, { kind: 'blockTemplate', templates: shown, toItem: toBlockTemplateItem })
}

export async function searchWorkflowTemplates(deps: ReadDeps, principal: Principal, search: Search) {
  const { published, drafts } = await deps.catalog.listWorkflowTemplates(principal.account.organizationId, false)
  const uses = ({ applications }: WorkflowTemplate, shortName: string) =>
    applications.some((name) => name.toLowerCase() === shortName)
  const { shown, total } = pageOf([...published, ...drafts], search, uses)
  return {
    items: await withTags(deps, principal, {
      kind: 'workflowTemplate',
      templates: shown,
      toItem: toWorkflowTemplateItem,
    }),
    total,
  }
}

export async function searchBlockTemplates(deps: ReadDeps, principal: Principal, search: Search) {
  const { published, drafts } = await deps.catalog.listBlockTemplates(principal.account.organizationId, false)
  const uses = ({ application }: BlockTemplate, shortName: string) => application?.toLowerCase() === shortName
  const { shown, total } = pageOf([...published, ...drafts], search, uses)
  return {
    items: await withTags(deps, principal, { kind: 'blockTemplate', templates: shown, toItem: toBlockTemplateItem }),
    total,
  }
}

function pageOf<Template extends { name: string; description: string }>(
  all: readonly Template[],
  search: Search,
  uses: (template: Template, shortName: string) => boolean,
): { shown: Template[]; total: number } {
  const { page, size } = readPage(search)
  const wanted = search.searchTerm?.toLowerCase() ?? ''
  const shortName = search.applicationShortName?.toLowerCase()
  const found = all.filter(
    (template) =>
      (wanted === '' || [template.name, template.description].some((text) => text.toLowerCase().includes(wanted))) &&
      (shortName === undefined || uses(template, shortName)),
  )
  return { shown: found.slice(page * size, (page + 1) * size), total: found.length }
}

type Listed<Template, Item> = {
  kind: TemplateKind
  templates: readonly Template[]
  toItem: (template: Template, tags: string[]) => Item
}

async function withTags<Template extends { id: string }, Item>(
  { database }: ReadDeps,
  principal: Principal,
  { kind, templates, toItem }: Listed<Template, Item>,
): Promise<Item[]> {
  const ids = templates.map(({ id }) => id)
  const tags = await listTags(database.forScope(scopeOf(principal)), principal.account.organizationId, kind, ids)
  return templates.map((template) => toItem(template, tags.get(template.id) ?? []))
}
