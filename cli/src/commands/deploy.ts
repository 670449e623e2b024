import type { Context } from '../context.ts'
import { findWorkflow } from '../session/find-workflow.ts'

export async function deploy({ terminal, connect }: Context, _: object, name: string): Promise<undefined> {
  const { client } = await connect()
  const workflow = await findWorkflow(client, name)
  await client.deployWorkflow({ params: { id: workflow.id } })
  terminal.result({ id: workflow.id, name: workflow.name, deployed: true }, () => `Deployed "${workflow.name}".`)
}
