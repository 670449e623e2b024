import type { Client } from '@patchbay/sdk'
import { PatchbayError } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { readNumber } from './read-number.ts'

type Place = { client: Client; workflowId: string; runNumber: number; blockName?: string | undefined }

export async function logs(
  context: Context,
  options: { block?: string },
  name: string,
  run?: string,
): Promise<undefined> {
  const { client } = await context.connect()
  const { id } = await findWorkflow(client, name)
  const runNumber = run === undefined ? await latestRun(client, id) : readNumber('run', run)
  const lines = await showLogs(context, { client, workflowId: id, runNumber, blockName: options.block })
  if (lines === 0) context.terminal.note(`Run ${runNumber} has logged nothing.`)
}

async function latestRun(client: Client, workflowId: string): Promise<number> {
  const { items } = await client.getRunHistory({ params: { workflowId }, body: { page: 0, size: 1 } })
  if (!items[0]) throw new Failure('The workflow has not run yet.')
  return items[0].lockVersionNumber
}

/** Returns how many lines there are. */
export async function showLogs(
  { terminal }: Context,
  { client, workflowId, runNumber, blockName }: Place,
): Promise<number> {
  const { chain } = await client.workflow({ params: { id: workflowId }, query: { runNumber } })
  const wanted = chain.filter((block) => blockName === undefined || block.blockName === blockName)
  if (blockName !== undefined && wanted.length === 0)
    throw new Failure(`Run ${runNumber} has no block named "${blockName}".`)
  const found: { block: string; lines: string[] }[] = []
  for (const { uniqueBlockId, blockName: name } of wanted) {
    found.push({ block: name, lines: await linesOf(client, workflowId, { uniqueBlockId, runNumber }) })
  }
  terminal.result(found, () =>
    found.flatMap(({ block, lines }) => lines.map((line) => `${terminal.paint('cyan', block)}  ${line}`)).join('\n'),
  )
  return found.flatMap(({ lines }) => lines).length
}

async function linesOf(
  client: Client,
  workflowId: string,
  query: { uniqueBlockId: string; runNumber: number },
): Promise<string[]> {
  try {
    return (await client.getBlockUserLog({ params: { workflowId }, query })).result
  } catch (error) {
    // The run never came to this block.
    if (error instanceof PatchbayError && error.status === 404) return []
    throw error
  }
}
