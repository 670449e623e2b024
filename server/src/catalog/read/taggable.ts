import type { Taggable } from '../../tags/index.ts'
import type { Catalog } from '../shelves/catalog.ts'

/** Tags on catalogue items are the organization's own, whoever made the item. */
export function catalogTaggables(catalog: Catalog): {
  application: Taggable
  blockTemplate: Taggable
  workflowTemplate: Taggable
} {
  const lowestRole = () => 'DevPartner' as const
  return {
    application: {
      lowestRole,
      exists: async ({ account }, id) => (await catalog.findApplication(account.organizationId, id)) !== undefined,
    },
    blockTemplate: {
      lowestRole,
      exists: async ({ account }, id) =>
        (
          await Promise.all(
            [true, false].map((draft) => catalog.findBlockTemplate(account.organizationId, id, { draft })),
          )
        ).some((found) => found !== undefined),
    },
    workflowTemplate: {
      lowestRole,
      exists: async ({ account }, id) =>
        (
          await Promise.all(
            [true, false].map((draft) => catalog.findWorkflowTemplate(account.organizationId, id, { draft })),
          )
        ).some((found) => found !== undefined),
    },
  }
}
