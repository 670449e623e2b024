import { type Answer, type Client, type ItemOf, isGuid } from '@patchbay/sdk'
import { ToolRefusal } from './tool.ts'

export type Workflow = Answer<'Workflow'>
export type Block = Workflow['chain'][number]

/** Models remember names better than ids, so both are taken. */
export async function findWorkflow(client: Client, nameOrId: string, runNumber?: number): Promise<Workflow> {
  const id = isGuid(nameOrId) ? nameOrId : await findByName(client, nameOrId)
  return client.workflow({ params: { id }, query: runNumber === undefined ? {} : { runNumber } })
}

async function findByName(client: Client, name: string): Promise<string> {
  const found: ItemOf<'WorkflowsSearch'>[] = []
  for await (const workflow of client.each('WorkflowsSearch', { body: { searchTerm: name } })) {
    if (workflow.name === name) found.push(workflow)
  }
  const live = found.filter(({ workflowState }) => workflowState !== 'archived')
  const [only, ...others] = live.length > 0 ? live : found
  if (!only) throw new ToolRefusal(`No workflow named "${name}". list_workflows shows the names and ids.`)
  if (others.length > 0) {
    throw new ToolRefusal(`Several workflows are named "${name}". Use an id: ${live.map(({ id }) => id).join(', ')}.`)
  }
  return only.id
}

export function findBlock(workflow: Workflow, nameOrId: string): Block {
  const found = workflow.chain.filter(
    ({ uniqueBlockId, blockName }) => uniqueBlockId === nameOrId.toLowerCase() || blockName === nameOrId,
  )
  const [only, ...others] = found
  if (only && others.length === 0) return only
  const names = workflow.chain.map(({ blockName, uniqueBlockId }) => `"${blockName}" (${uniqueBlockId})`).join(', ')
  throw new ToolRefusal(
    only
      ? `Several blocks of "${workflow.name}" are named "${nameOrId}". Use the uniqueBlockId: ${names}.`
      : `"${workflow.name}" has no block "${nameOrId}". It has: ${names}.`,
  )
}
