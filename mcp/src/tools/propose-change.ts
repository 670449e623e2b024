import type { BodyOf, Client, Operations } from '@patchbay/sdk'
import { type Static, Type } from 'typebox'
import { describeChanges } from '../describe-changes.ts'
import { findBlock, findWorkflow, type Workflow } from '../find-workflow.ts'
import { BlockScripts, Changes, Confirm, WorkflowId } from '../inputs.ts'
import { type Found, ToolRefusal, tool } from '../tool.ts'

const Input = Type.Object(
  {
    workflowId: WorkflowId,
    blocks: Type.Optional(BlockScripts),
    changes: Type.Optional(Changes),
    confirm: Confirm,
  },
  { additionalProperties: false },
)

type Body = BodyOf<Operations['WorkflowUpdate']>

export const proposeChange = tool({
  name: 'propose_change',
  title: 'Propose a change to a workflow',
  description:
    'Show what a change to scripts or settings would do. With confirm: true it is saved as a new revision if the workflow is in development; a deployed workflow is never touched, and the diff is for a person to apply.',
  input: Input,
  changes: true,
  async run(client, input) {
    const workflow = await findWorkflow(client, input.workflowId)
    const body = bodyOf(workflow, input)
    const diff = describeChanges(workflow, body)
    const told = { workflowId: workflow.id, revision: workflow.revision, diff }
    if (diff.length === 0) {
      return { summary: `Nothing would change in "${workflow.name}".`, isSaved: false, ...told }
    }
    if (workflow.workflowState !== 'inDevelopment') {
      const summary = `Nothing was saved: "${workflow.name}" is ${workflow.workflowState}. The diff says what to change; replay can try it on recorded runs first.`
      return { summary, isSaved: false, ...told }
    }
    if (!input.confirm) {
      const summary = `Nothing was saved. With confirm: true this becomes revision ${workflow.revision + 1} of "${workflow.name}".`
      return { summary, isSaved: false, ...told }
    }
    return save(client, workflow, body, diff)
  },
})

/** Only on top of the revision that was looked at, so nobody's work is overwritten. */
async function save(client: Client, workflow: Workflow, body: Body, diff: unknown[]): Promise<Found> {
  const { id, name, revision } = workflow
  const saved = await client.exchange('WorkflowUpdate', {
    params: { id },
    body,
    headers: { 'If-Match': `"${revision}"` },
  })
  const now = Number(saved.headers.get('etag')?.replaceAll('"', '') ?? revision + 1)
  return {
    summary: `Saved as revision ${now} of "${name}". Revision ${revision} can be restored.`,
    isSaved: true,
    workflowId: id,
    revision: now,
    diff,
  }
}

export function bodyOf(
  workflow: Workflow,
  { blocks = [], changes = {} }: Pick<Static<typeof Input>, 'blocks' | 'changes'>,
): Body {
  if (blocks.length === 0 && Object.keys(changes).length === 0) {
    throw new ToolRefusal('Give blocks with new scripts, or changes.')
  }
  const scripts = blocks.map(({ block, script }) => ({
    uniqueBlockId: findBlock(workflow, block).uniqueBlockId,
    script,
  }))
  const chain = [...((changes['chain'] as object[] | undefined) ?? []), ...scripts]
  return { ...changes, ...(chain.length > 0 ? { chain } : {}) } as Body
}
