// Workflows that were made before bases were kept get theirs when the service starts. The first revision shows what a block was made
// from as long as nobody had customized it; for the other blocks the template's version has to say it.
import { type Database, inOrder } from '../../db/index.ts'
import type { Definition } from '../definition/definition.ts'
import type { WorkflowCatalog } from '../ports.ts'
import { makeBase } from './base.ts'
import { insertBase, setBase, takeWithoutBase, type WithoutBase } from './base-store.ts'
import { loadBlocksOf } from './block-templates.ts'
import { definitionOf } from './start-definition.ts'

type Deps = { database: Database; catalog: WorkflowCatalog }

const takenAtOnce = 100

/** Harmless to repeat, and by several processes at once. */
export async function giveEarlierBases(deps: Deps): Promise<void> {
  let taken = takenAtOnce
  while (taken === takenAtOnce) {
    taken = await deps.database.system.transaction(async (tx) => {
      const workflows = await takeWithoutBase(tx, takenAtOnce)
      for (const workflow of workflows) {
        const { organization_id: organizationId, workflow_template_id: id, template_version: version } = workflow
        const definition = reconstruct(workflow.first, await definitionNow(deps.catalog, workflow))
        const base = makeBase({ organizationId, template: { id, version }, definition })
        await inOrder(tx, [(db) => insertBase(db, base), (db) => setBase(db, workflow.id, base.digest)])
      }
      return workflows.length
    })
  }
}

/** The version that the workflow names, or the nearest thing that is still there. */
async function definitionNow(
  catalog: WorkflowCatalog,
  { organization_id: organizationId, workflow_template_id: id, template_version: version }: WithoutBase,
): Promise<Definition | undefined> {
  const template =
    (version === null ? undefined : await catalog.findWorkflowTemplate(organizationId, id, { version })) ??
    (await catalog.findWorkflowTemplate(organizationId, id, { draft: true })) ??
    (await catalog.findWorkflowTemplate(organizationId, id))
  if (!template) return undefined
  const blocks = await loadBlocksOf(catalog, organizationId, template)
  const isWhole = template.chain.every(({ blockTemplateId }) => !blockTemplateId || blocks.has(blockTemplateId))
  return isWhole ? definitionOf(template, blocks) : undefined
}

function reconstruct(first: Definition, template: Definition | undefined): Definition {
  const plain = { applications: {}, isCustomizedStructure: false }
  const untouched = (block: Definition['chain'][number]) => ({ ...block, isCustomized: false })
  if (!template) return { ...first, ...plain, chain: first.chain.map(untouched) }
  const asMade = new Map(
    first.chain.flatMap((block) => (block.isCustomized ? [] : [[block.uniqueBlockId, block] as const])),
  )
  return {
    ...template,
    ...plain,
    chain: template.chain.map((block) => untouched(asMade.get(block.uniqueBlockId) ?? block)),
    blockVariables: { ...template.blockVariables, ...first.blockVariables },
  }
}
