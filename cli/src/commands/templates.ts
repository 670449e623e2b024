import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { loadNames } from '../folders/names.ts'

type Options = { version?: string; block?: boolean }

export async function publishTemplate(context: Context, options: Options, name: string): Promise<undefined> {
  const { client } = await context.connect()
  const names = await loadNames(client)
  const id = (options.block ? names.blockTemplate : names.workflowTemplate).idOf(name)
  if (id === undefined) throw new Failure(`No template "${name}", or more than one: give its id.`)
  const parts = { params: { id }, query: options.version === undefined ? {} : { version: options.version } }
  const version = await (options.block ? client.publishBlockTemplate(parts) : client.publishWorkflowTemplate(parts))
  context.terminal.result({ id, version }, () => `Published "${name}" as version ${version}.`)
}
