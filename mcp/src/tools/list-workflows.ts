import { workflowStates } from '@patchbay/sdk'
import { Type } from 'typebox'
import { Limit } from '../inputs.ts'
import { tool } from '../tool.ts'

export const listWorkflows = tool({
  name: 'list_workflows',
  title: 'List workflows',
  description:
    'List workflows of the account with their state and their latest run. Archived ones only when asked for.',
  input: Type.Object(
    {
      searchTerm: Type.Optional(Type.String({ description: 'Only those with this text in name or description.' })),
      workflowState: Type.Optional(Type.Enum([...workflowStates])),
      limit: Limit,
    },
    { additionalProperties: false },
  ),
  async run(client, { searchTerm, workflowState, limit = 20 }, signal) {
    const { workflows: items, total } = await client.workflowsSearch({
      body: {
        page: 0,
        size: limit,
        workflowState: workflowState ? [workflowState] : ['inDevelopment', 'deployed'],
        ...(searchTerm ? { searchTerm } : {}),
      },
      signal,
    })
    const workflows = items.map((item) => ({
      id: item.id,
      name: item.name,
      description: item.description,
      workflowState: item.workflowState,
      lastRunNumber: item.lastRunNumber,
      lastRunStatus: item.lastRunStatus,
      isScheduled: item.isScheduled,
      isWebhookActive: item.isWebhookActive,
      isAutoRunPaused: item.isAutoRunPaused,
      applications: Object.keys(item.applications),
    }))
    return { summary: `${workflows.length} of ${total} workflows.`, workflows }
  },
})
