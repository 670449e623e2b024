// A block of a template names a template; the block of a workflow made from it names the workflow that was made from that.
import type { ChainBlock } from '../../engine/chain/chain.ts'
import type { Definition } from '../definition/definition.ts'

/** Each once. */
export function listSubTemplates({ chain }: Definition): string[] {
  return [...new Set(chain.flatMap(({ subWorkflow }) => subWorkflow?.workflowTemplateId ?? []))]
}

export function bindSubTemplates(definition: Definition, workflowIds: ReadonlyMap<string, string>): Definition {
  return bind(definition, ({ subWorkflow }) => workflowIds.get(subWorkflow?.workflowTemplateId ?? ''))
}

/** As if the template had been bound to what the workflow runs: for comparing both. */
export function bindAs(template: Definition, workflow: Definition): Definition {
  if (listSubTemplates(template).length === 0) return template
  const bound = new Map(workflow.chain.map((block) => [block.uniqueBlockId, block.subWorkflow?.workflowId]))
  return bind(template, ({ uniqueBlockId }) => bound.get(uniqueBlockId))
}

function bind(definition: Definition, find: (block: ChainBlock) => string | undefined): Definition {
  const chain = definition.chain.map((block) => {
    const workflowId = block.subWorkflow?.workflowTemplateId === undefined ? undefined : find(block)
    if (workflowId === undefined || !block.subWorkflow) return block
    const { workflowTemplateId: _template, ...others } = block.subWorkflow
    return { ...block, subWorkflow: { workflowId, ...others } }
  })
  return { ...definition, chain }
}
