import { Type } from 'typebox'
import { counted } from '../counted.ts'
import { Limit } from '../inputs.ts'
import { shorten } from '../shorten.ts'
import { tool } from '../tool.ts'

export const previewUpgrade = tool({
  name: 'preview_upgrade',
  title: 'Preview a template upgrade',
  description:
    'What another version of a workflow template would do to each workflow made from it, with conflicts and problems. Changes nothing. Needs the role DevPartner.',
  input: Type.Object(
    {
      workflowTemplateId: Type.String({ description: 'Id of the template; search_catalog finds it.' }),
      toVersion: Type.Optional(Type.String({ description: 'The newest published one by default.' })),
      workflowIds: Type.Optional(
        Type.Array(Type.String(), { minItems: 1, description: 'Only these workflows, by id.' }),
      ),
      limit: Limit,
    },
    { additionalProperties: false },
  ),
  async run(client, { limit = 20, workflowTemplateId, toVersion, workflowIds }, signal) {
    const { items, total, counts } = await client.templateUpgradePreview({
      body: {
        page: 0,
        size: limit,
        workflowTemplateId,
        ...(toVersion === undefined ? {} : { toVersion }),
        ...(workflowIds === undefined ? {} : { workflowIds }),
      },
      signal,
    })
    const { clean, conflict, problem, upToDate } = counts
    return {
      summary: `${counted(total, 'workflow')}: ${clean} clean, ${conflict} with conflicts, ${problem} with problems, ${upToDate} up to date.`,
      counts,
      items: items.map((item) => ({ ...item, changes: shorten(item.changes), conflicts: shorten(item.conflicts) })),
    }
  },
})
