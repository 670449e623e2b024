import type { Principal } from '../../access/index.ts'
import { exportCatalogFiles } from '../format/export-files.ts'
import type { Catalog } from '../shelves/catalog.ts'
import type { ShelfItems } from '../shelves/shelf.ts'

/** What the organization hosts, as files that can be imported again. */
export async function exportCatalog({ catalog }: { catalog: Catalog }, principal: Principal, isDraft: boolean) {
  const { items } = await catalog.hosted(principal.account.organizationId)
  return { files: exportCatalogFiles(isDraft ? draftsOf(items) : items) }
}

/** The drafts, and the published blocks that they stand on: together they can be imported elsewhere. */
function draftsOf(items: ShelfItems): ShelfItems {
  const needed = new Set(items.workflowDrafts.flatMap(({ chain }) => chain.map((block) => block.blockTemplateId)))
  const drafted = new Set(items.blockDrafts.map(({ id }) => id))
  const below = items.blockTemplates.filter(({ id }) => needed.has(id) && !drafted.has(id))
  return { ...items, blockTemplates: [...below, ...items.blockDrafts], workflowTemplates: items.workflowDrafts }
}
