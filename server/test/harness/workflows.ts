import { expect } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import type { Answer, Client } from './client.ts'
import { eventually } from './eventually.ts'

export type SampleBlock = {
  /** Its own script, or one of the catalogue's. */
  script?: string
  blockTemplateId?: string
  /** Positions in the list, from 1. */
  after?: number[]
  blockName?: string
  variables?: Record<string, unknown>
  /** Fields of the chain element as they are: runWhen, retry … */
  flow?: Record<string, unknown>
}

export type SampleWorkflow = { id: string; blocks: string[] }

/** A custom workflow of these blocks; without `after` a block has the one before it as its only data source. */
export async function createWorkflow(
  client: Client,
  blocks: (string | SampleBlock)[],
  more: Record<string, unknown> = {},
): Promise<SampleWorkflow> {
  const ids = blocks.map(() => newId())
  const chain = blocks.map((given, index) => {
    const block = typeof given === 'string' ? { script: given } : given
    const after = block.after ?? (index === 0 ? [] : [index])
    return {
      uniqueBlockId: ids[index],
      blockName: block.blockName ?? `Block ${index + 1}`,
      ...(block.script === undefined ? {} : { script: block.script }),
      ...(block.blockTemplateId === undefined ? {} : { blockTemplateId: block.blockTemplateId }),
      dataSources: after.map((no) => ids[no - 1]),
      ...(block.variables ? { variables: block.variables } : {}),
      ...block.flow,
    }
  })
  const created = await client.post('/api/Workflow', { name: 'Sample', description: '', chain, ...more })
  expect(created.status, created.text).toBe(200)
  return { id: created.body, blocks: ids }
}

export async function deployWorkflow(
  client: Client,
  blocks: (string | SampleBlock)[],
  more: Record<string, unknown> = {},
): Promise<SampleWorkflow> {
  const workflow = await createWorkflow(client, blocks, more)
  const deployed = await client.get(`/api/DeployWorkflow/${workflow.id}`)
  expect(deployed.status, deployed.text).toBe(200)
  return workflow
}

/** Starts a run and returns its number. */
export async function startRun(
  client: Client,
  workflowId: string,
  more: Record<string, unknown> = {},
): Promise<number> {
  const started = await client.post('/api/RunWorkflow', { workflowId, ...more })
  expect(started.status, started.text).toBe(200)
  return Number(started.headers.get('x-run-number'))
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered and asserts its shape.
export async function findRun(client: Client, workflowId: string, number: number): Promise<any> {
  const history = await client.post(`/api/GetRunHistory/${workflowId}`, { page: 0, size: 1, lockVersionNumber: number })
  expect(history.status, history.text).toBe(200)
  return history.body.items[0]
}

/** Waits until a run is over and returns its history item. */
export function endOf(client: Client, workflowId: string, number: number) {
  return eventually(async () => {
    const run = await findRun(client, workflowId, number)
    return run?.endDateTimeUTC ? run : undefined
  })
}

/** Runs a workflow to its end. */
export async function runToEnd(client: Client, workflowId: string, more: Record<string, unknown> = {}) {
  return endOf(client, workflowId, await startRun(client, workflowId, more))
}

export function blockResult(client: Client, workflow: SampleWorkflow, no: number, runNumber?: number): Promise<Answer> {
  return client.get(blockPath('GetBlockResult', workflow, no, runNumber))
}

export function blockPath(operation: string, workflow: SampleWorkflow, no: number, runNumber?: number): string {
  const number = runNumber === undefined ? '' : `&runNumber=${runNumber}`
  return `/api/${operation}/${workflow.id}?uniqueBlockId=${workflow.blocks[no - 1]}${number}`
}
