import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { pull } from '../folders/pull.ts'
import { findKnown } from '../folders/state.ts'
import { findWorkflow } from '../session/find-workflow.ts'

type Options = { into: string; force?: boolean }

const progressFrom = 50

export async function pullWorkflows(context: Context, options: Options, workflows: string[]): Promise<undefined> {
  const { terminal, cwd } = context
  const connection = await context.connect()
  const root = resolve(cwd, options.into)
  const here = findKnown(root, connection)
  const ids =
    workflows.length > 0
      ? await Promise.all(workflows.map(async (name) => (await findWorkflow(connection.client, name)).id))
      : here
        ? [here.id]
        : await listIds(connection.client)
  const pulled = await pull(connection, ids, {
    root,
    cwd,
    force: options.force ?? false,
    onRead: (count) => {
      if (ids.length >= progressFrom && count % progressFrom === 0) terminal.note(`${count} of ${ids.length}`)
    },
  })
  terminal.result(
    pulled,
    () =>
      pulled
        .map(
          ({ workflow, folder, filesChanged }) =>
            `${folder}  "${workflow}"  ${filesChanged === 0 ? 'unchanged' : `${filesChanged} files`}`,
        )
        .join('\n') || 'No workflows to pull.',
  )
}

async function listIds(client: Awaited<ReturnType<Context['connect']>>['client']): Promise<string[]> {
  const found = await Array.fromAsync(
    client.each('WorkflowsSearch', { body: { size: 1000, workflowState: ['inDevelopment', 'deployed'] } }),
  )
  return found.map(({ id }) => id)
}
