// What a block saw in a run, as TestBlock takes it.
import { type Client, noContent, PatchbayError } from '@patchbay/sdk'
import type { Block, Workflow } from './find-workflow.ts'

export type RunInputs = {
  dataSources: unknown[]
  variables: Record<string, unknown>
  sessionVars?: Record<string, unknown>
  webhook?: unknown
  dateLastRun?: string | null
}

/** The workflow must be as of that run. */
export async function readInputs(
  client: Client,
  workflow: Workflow,
  block: Block,
  runNumber: number,
): Promise<RunInputs> {
  const before = workflow.chain.filter(({ no, status }) => no < block.no && status === 'Ready').at(-1)
  const [dataSources, session, webhook] = await Promise.all([
    Promise.all(block.dataSources.map((id) => readResult(client, workflow.id, id, runNumber))),
    before && readSession(client, workflow.id, before.uniqueBlockId, runNumber),
    readWebhook(client, workflow),
  ])
  return {
    dataSources,
    variables: variablesOf(workflow, block),
    ...(session ? { sessionVars: session } : {}),
    ...(webhook === undefined ? {} : { webhook }),
  }
}

/** Passwords come masked from the service, and stay so. */
function variablesOf(workflow: Workflow, block: Block): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(block.variables).map(([name, { variableSource, value, variableName }]) => [
      name,
      variableSource === 'Workflow' ? (workflow.variables[variableName as string]?.value ?? null) : value,
    ]),
  )
}

async function readResult(client: Client, workflowId: string, uniqueBlockId: string, runNumber: number) {
  const found = await orNothing(client.getBlockResult({ params: { workflowId }, query: { uniqueBlockId, runNumber } }))
  return found?.success ? found.result : null
}

async function readSession(client: Client, workflowId: string, uniqueBlockId: string, runNumber: number) {
  return (await orNothing(client.getBlockSession({ params: { workflowId }, query: { uniqueBlockId, runNumber } })))
    ?.result
}

/** As a script sees it: one request, or an array where the webhook takes batches. */
async function readWebhook(client: Client, { id: workflowId, run }: Workflow): Promise<unknown> {
  const ids = run?.webhookIds ?? []
  if (ids.length === 0) return undefined
  const found = await Promise.all(ids.map((webhookId) => orNothing(client.getWebhook({ params: { webhookId } }))))
  const requests = found
    .filter((one) => one !== undefined && one !== noContent)
    .map(({ id, method, headers, urlParameters, webhookValue }) => ({
      id,
      method,
      headers,
      urlParameters,
      body: webhookValue,
    }))
  const settings = await orNothing(client.webhookSettings({ params: { id: workflowId } }))
  const isBatch = requests.length > 1 || (settings !== undefined && settings !== noContent && settings.isBatch)
  return isBatch ? requests : requests[0]
}

/** Undefined where the run never came to the block, or what it kept is gone. */
export async function orNothing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PatchbayError && error.status === 404) return undefined
    throw error
  }
}
