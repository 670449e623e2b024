import { type Client, type ItemOf, isGuid } from '@patchbay/sdk'
import { Failure } from '../failure.ts'

/** As lists show it, without its blocks. */
export type ListedWorkflow = Pick<
  ItemOf<'WorkflowsSearch'>,
  'id' | 'name' | 'workflowState' | 'revision' | 'applications' | 'workflowTemplateId'
>

/** By id, or by a name that only one workflow has. */
export async function findWorkflow(client: Client, nameOrId: string): Promise<ListedWorkflow> {
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
