// What callers read of the catalogue. Drafts and versions of others do not exist for them.
import type { Principal } from '../../access/index.ts'
import { scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { listTags } from '../../tags/index.ts'
import type { Catalog } from '../shelves/catalog.ts'
import { listVersions, type TemplateKind } from '../shelves/store.ts'
import { toBlockTemplateDetails, toWorkflowTemplateDetails } from './to-api-items.ts'

export type ReadDeps = { catalog: Catalog; database: Database }
type Choice = { isDraft?: boolean; version?: string }

export const templateNames = { blockTemplate: 'block template', workflowTemplate: 'workflow template' } as const

export async function getWorkflowTemplate(deps: ReadDeps, principal: Principal, id: string, choice: Choice) {
  const { catalog } = deps
  const { organizationId } = principal.account
  const template = await catalog.findWorkflowTemplate(organizationId, id, toChoice(choice))
  if (!template) throw notFound(templateNames.workflowTemplate)
  const blocks = await catalog.listBlocksOf(organizationId, template)
  return toWorkflowTemplateDetails(template, blocks, await keptOf(deps, principal, 'workflowTemplate', template.id))
}

export async function getBlockTemplate(deps: ReadDeps, principal: Principal, id: string, choice: Choice) {
  const template = await deps.catalog.findBlockTemplate(principal.account.organizationId, id, toChoice(choice))
  if (!template) throw notFound(templateNames.blockTemplate)
  return toBlockTemplateDetails(template, await keptOf(deps, principal, 'blockTemplate', template.id))
}

async function keptOf({ catalog, database }: ReadDeps, principal: Principal, kind: TemplateKind, id: string) {
  const tags = await listTags(database.forScope(scopeOf(principal)), principal.account.organizationId, kind, [id])
  return { isHosted: !catalog.isShipped(id), tags: tags.get(id) ?? [] }
}

export async function getVersions(deps: ReadDeps, principal: Principal, kind: TemplateKind, id: string) {
  const { organizationId } = principal.account
  const shelf = await deps.catalog.hosted(organizationId)
  const isTheirs = [true, false].some((isDraft) => shelf.findTemplate(kind, id, isDraft) !== undefined)
  if (!isTheirs) throw notFound(templateNames[kind])
  return listVersions(deps.database.forScope(scopeOf(principal)), organizationId, kind, id)
}

function toChoice({ isDraft, version }: Choice): { draft: boolean; version?: string } {
  return { draft: isDraft === true, ...(version === undefined ? {} : { version }) }
}
