import type { WorkflowTemplate } from '../../catalog/index.ts'
import type { Definition } from '../definition/definition.ts'
import type { WorkflowCatalog } from '../ports.ts'
import { type Base, makeBase } from './base.ts'
import { loadBlocksOf } from './block-templates.ts'
import { definitionOf } from './start-definition.ts'

/** What a workflow made from the template right now would be, and the base it would have. */
export async function resolveTemplate(
  catalog: WorkflowCatalog,
  organizationId: string,
  template: WorkflowTemplate,
): Promise<{ definition: Definition; base: Base }> {
  const definition = definitionOf(template, await loadBlocksOf(catalog, organizationId, template))
  return { definition, base: makeBase({ organizationId, template, definition }) }
}
