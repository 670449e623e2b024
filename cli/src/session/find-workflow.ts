import type { Client, ItemOf } from '@patchbay/sdk'
import { Failure } from '../failure.ts'
import { isGuid } from './connect.ts'

export type ListedWorkflow = ItemOf<'WorkflowsSearch'>

/** By id, or by a name that only one workflow has. */
export async function findWorkflow(client: Client, nameOrId: string): Promise<{ id: string; name: string }> {
  if (isGuid(nameOrId)) return client.workflow({ params: { id: nameOrId } })
  const found: ListedWorkflow[] = []
  for await (const workflow of client.each('WorkflowsSearch', { body: { searchTerm: nameOrId } })) {
    if (workflow.name === nameOrId && workflow.workflowState !== 'archived') found.push(workflow)
  }
  const [only, ...others] = found
  if (!only) throw new Failure(`No workflow named "${nameOrId}".`)
  if (others.length > 0) {
    throw new Failure(`Several workflows are named "${nameOrId}". Give an id: ${found.map(({ id }) => id).join(', ')}.`)
  }
  return only
}
