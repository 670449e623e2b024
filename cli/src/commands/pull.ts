import { resolve } from 'node:path'
import { type Client, listSizeMax } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { counted } from '../counted.ts'
import { pull } from '../folders/pull.ts'
import { findKnown } from '../folders/state.ts'
import { findWorkflow, type ListedWorkflow } from '../session/find-workflow.ts'

type Options = { into: string; force?: boolean }

const progressFrom = 50

export async function pullWorkflows(context: Context, options: Options, workflows: string[]): Promise<undefined> {
  const { terminal, cwd } = context
  const connection = await context.connect()
  const root = resolve(cwd, options.into)
  const here = findKnown(root, connection)
  const named = workflows.length > 0 ? workflows : here ? [here.id] : undefined
  const found = await (named
    ? Promise.all(named.map((name) => findWorkflow(connection.client, name)))
    : listWorkflows(connection.client))
  const pulled = await pull(connection, found, {
    root,
    cwd,
    force: options.force ?? false,
    onRead: (count) => {
      if (found.length >= progressFrom && count % progressFrom === 0) terminal.note(`${count} of ${found.length}`)
    },
  })
  terminal.result(
    pulled,
    () =>
      pulled
        .map(
          ({ workflow, folder, filesChanged }) =>
            `${folder}  "${workflow}"  ${filesChanged === 0 ? 'unchanged' : counted(filesChanged, 'file')}`,
        )
        .join('\n') || 'No workflows to pull.',
  )
}

async function listWorkflows(client: Client): Promise<ListedWorkflow[]> {
  return Array.fromAsync(
    client.each('WorkflowsSearch', { body: { size: listSizeMax, workflowState: ['inDevelopment', 'deployed'] } }),
  )
}
