import type { BlockTemplate as CatalogBlockTemplate, Variable, WorkflowTemplate } from '../../catalog/index.ts'
import type { ChainElementInput } from '../../engine/chain/chain-element.ts'
import type { BlockTemplate } from '../../engine/chain/element-rules.ts'
import type { VariableDefinition } from '../../engine/variables/variable-values.ts'
import type { Definition } from '../definition/definition.ts'
import type { WorkflowCatalog } from '../ports.ts'

/** Published templates count; a draft only where there is nothing else, for those who are trying it out. */
async function findTemplate(
  catalog: WorkflowCatalog,
  organizationId: string,
  id: string,
): Promise<CatalogBlockTemplate | undefined> {
  return (
    (await catalog.findBlockTemplate(organizationId, id)) ??
    (await catalog.findBlockTemplate(organizationId, id, { draft: true }))
  )
}

async function loadBlockTemplates(
  catalog: WorkflowCatalog,
  organizationId: string,
  ids: Iterable<string>,
): Promise<Map<string, BlockTemplate>> {
  const wanted = [...new Set(ids)]
  const found = await Promise.all(wanted.map((id) => findTemplate(catalog, organizationId, id)))
  return new Map(found.flatMap((template) => (template ? [[template.id, toBlockTemplate(template)] as const] : [])))
}

/** Those that a workflow template stands on. */
export async function loadBlocksOf(
  catalog: WorkflowCatalog,
  organizationId: string,
  template: WorkflowTemplate,
): Promise<Map<string, BlockTemplate>> {
  const blocks = await catalog.listBlocksOf(organizationId, template)
  return new Map([...blocks].map(([id, block]) => [id, toBlockTemplate(block)]))
}

/**
 * What the engine may know while it changes a chain: templates that new blocks name, as the catalogue has them now, and for
 * blocks that exist the variables they were made with.
 */
export async function templatesForChange(
  catalog: WorkflowCatalog,
  organizationId: string,
  definition: Pick<Definition, 'chain' | 'blockVariables'>,
  elements: readonly ChainElementInput[],
): Promise<Map<string, BlockTemplate>> {
  const known = new Map(definition.chain.map((block) => [block.uniqueBlockId, block.blockTemplateId]))
  const named = elements.flatMap(({ uniqueBlockId, blockTemplateId }) => {
    const own = known.get(uniqueBlockId ?? '')
    return blockTemplateId && blockTemplateId !== own ? [blockTemplateId] : []
  })
  const fresh = await loadBlockTemplates(catalog, organizationId, named)
  const wanted = new Set(named)
  for (const [id, variables] of Object.entries(definition.blockVariables)) {
    const template = fresh.get(id)
    if (template) fresh.set(id, { ...template, variables: { ...template.variables, ...variables } })
    // A template that is gone can still judge the variables of its blocks, but gives no new block.
    else if (!wanted.has(id)) fresh.set(id, { id, name: '', applicationShortName: null, script: '', variables })
  }
  return fresh
}

/** Of every template that a block was made from: how its variables are declared, without values and defaults. */
export function keepBlockVariables(
  chain: Definition['chain'],
  templates: ReadonlyMap<string, BlockTemplate>,
): Definition['blockVariables'] {
  const used = new Set(chain.flatMap((block) => block.blockTemplateId ?? []))
  return Object.fromEntries(
    [...used].map((id) => {
      const variables = Object.entries(templates.get(id)?.variables ?? {})
      const declarations = variables.map(([name, { defaultValue: _default, ...declaration }]) => [name, declaration])
      return [id, Object.fromEntries(declarations)]
    }),
  )
}

export function toVariableDefinition({ type, required, displayName, options }: Variable): VariableDefinition {
  return { type, required, displayName, ...(options && { options: options.map((option) => option.value) }) }
}

function toBlockTemplate(template: CatalogBlockTemplate): BlockTemplate {
  const variables = template.variables.map((variable) => [
    variable.shortName,
    { ...toVariableDefinition(variable), defaultValue: variable.default ?? null },
  ])
  return {
    id: template.id,
    name: template.name,
    applicationShortName: template.application ?? null,
    script: template.script,
    variables: Object.fromEntries(variables),
  }
}
