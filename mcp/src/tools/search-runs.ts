import { type BodyOf, type Client, type Operations, runStatuses, searchPlaces } from '@patchbay/sdk'
import { type Static, Type } from 'typebox'
import { counted } from '../counted.ts'
import { findWorkflow } from '../find-workflow.ts'
import { Limit, WorkflowId } from '../inputs.ts'
import { type Found, tool } from '../tool.ts'

const Input = Type.Object(
  {
    searchTerm: Type.Optional(
      Type.String({ minLength: 1, description: 'Words to find in payloads, results, logs, errors and calls.' }),
    ),
    in: Type.Optional(
      Type.Array(Type.Enum([...searchPlaces]), {
        minItems: 1,
        description: 'Where to look; everywhere when absent.',
      }),
    ),
    status: Type.Optional(
      Type.Enum([...runStatuses], {
        description: 'Only runs with this status. Error for those that failed.',
      }),
    ),
    workflowId: Type.Optional(WorkflowId),
    searchFrom: Type.Optional(Type.String({ description: 'Only from this time on, ISO 8601.' })),
    searchTo: Type.Optional(Type.String({ description: 'Only before this time, ISO 8601.' })),
    limit: Limit,
  },
  { additionalProperties: false },
)
type Input = Static<typeof Input>

export const searchRuns = tool({
  name: 'search_runs',
  title: 'Search runs',
  description:
    'Find runs, newest first: by words in what they read, wrote, logged or called, by status, by workflow. Without a searchTerm and a workflow: the latest run of each deployed workflow.',
  input: Input,
  async run(client, input, signal) {
    const workflowId = input.workflowId ? (await findWorkflow(client, input.workflowId)).id : undefined
    if (input.searchTerm !== undefined) return searchWords(client, input, workflowId, signal)
    return workflowId === undefined ? latestOfEach(client, input, signal) : history(client, input, workflowId, signal)
  },
})

const limitDefault = 20

/** At the limit there may be more. */
function foundText(found: readonly unknown[], { limit = limitDefault }: Input, one: string): string {
  return `${found.length >= limit ? 'The first ' : ''}${counted(found.length, one)}`
}

const times = ({ searchFrom, searchTo }: Input) => ({
  ...(searchFrom === undefined ? {} : { searchFrom }),
  ...(searchTo === undefined ? {} : { searchTo }),
})

async function searchWords(
  client: Client,
  input: Input,
  workflowId: string | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const body: BodyOf<Operations['SearchRuns']> = {
    searchTerm: input.searchTerm as string,
    ...(input.in ? { in: input.in } : {}),
    ...(workflowId === undefined ? {} : { workflowId }),
    ...times(input),
  }
  const runs: unknown[] = []
  for await (const item of client.each('SearchRuns', { body, signal })) {
    if (input.status === undefined || item.status === input.status) runs.push(item)
    if (runs.length === (input.limit ?? limitDefault)) break
  }
  return { summary: `${foundText(runs, input, 'place')} found for "${input.searchTerm}".`, runs }
}

async function history(client: Client, input: Input, workflowId: string, signal: AbortSignal): Promise<Found> {
  const { items, total } = await client.getRunHistory({
    params: { workflowId },
    body: {
      page: 0,
      size: input.limit ?? limitDefault,
      ...(input.status ? { status: input.status } : {}),
      ...times(input),
    },
    signal,
  })
  const runs = items.map(({ lockVersionNumber, ...run }) => ({ workflowId, runNumber: lockVersionNumber, ...run }))
  return { summary: `${runs.length} of ${counted(total, 'run')}.`, runs }
}

async function latestOfEach(client: Client, input: Input, signal: AbortSignal): Promise<Found> {
  const runs: unknown[] = []
  for await (const workflow of client.each('WorkflowsSearch', { body: { workflowState: ['deployed'] }, signal })) {
    const { id, name, lastRunNumber, lastRunStatus } = workflow
    if (lastRunNumber === null || (input.status !== undefined && lastRunStatus !== input.status)) continue
    runs.push({ workflowId: id, workflowName: name, runNumber: lastRunNumber, status: lastRunStatus })
    if (runs.length === (input.limit ?? limitDefault)) break
  }
  return { summary: `${foundText(runs, input, 'deployed workflow')} whose latest run matches.`, runs }
}
