import type { Context } from '../context.ts'
import { findWorkflow } from '../session/find-workflow.ts'

type Options = { workflow?: string; acrossAccounts?: boolean; after?: string }

export async function tail(context: Context, options: Options): Promise<undefined> {
  const { terminal } = context
  const { client } = await context.connect()
  const workflowId = options.workflow === undefined ? undefined : (await findWorkflow(client, options.workflow)).id
  const events = client.stream({
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(options.acrossAccounts ? { acrossAccounts: true } : {}),
    ...(options.after === undefined ? {} : { lastEventId: options.after }),
    signal: context.signal,
  })
  for await (const event of events) {
    terminal.item(event, () => {
      const { timestamp, workflowName, runNumber, blockName, status, errorMessage } = event.data
      const words = [
        workflowName,
        runNumber === undefined ? undefined : `run ${runNumber}`,
        blockName,
        status,
        errorMessage,
      ]
      return `${timestamp}  ${terminal.paint('cyan', event.type)}  ${words.filter((word) => word !== undefined && word !== null).join('  ')}`
    })
  }
}
