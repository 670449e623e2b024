// What a person is about to change, in one line.
import type { Block, WorkflowDetail, WorkflowDraft } from './workflow-draft.ts'

const namesMax = 3

/** Such as: Make invoice changed, Code added. */
export function draftSummary(saved: readonly Block[], draft: WorkflowDraft): string {
  const before = new Map(saved.map((block) => [block.uniqueBlockId, block]))
  const after = new Map(draft.chain.map((block) => [block.uniqueBlockId, block]))
  const changed = [...draft.changed].filter((id) => before.has(id) && after.has(id)).map((id) => after.get(id))
  const added = [...draft.changed].filter((id) => !before.has(id)).map((id) => after.get(id))
  const removed = [...draft.changed].filter((id) => !after.has(id)).map((id) => before.get(id))
  return [part(changed, 'changed'), part(added, 'added'), part(removed, 'removed')].filter((text) => text).join(', ')
}

function part(blocks: readonly (Block | undefined)[], word: string): string {
  if (blocks.length === 0) return ''
  if (blocks.length > namesMax) return `${blocks.length} blocks ${word}`
  return `${blocks.map((block) => block?.blockName).join(' and ')} ${word}`
}

/** What Deploy does to a workflow that is still being built. */
export function deploySummary(workflow: WorkflowDetail): string {
  const blocks = workflow.chain.length === 1 ? '1 block' : `${workflow.chain.length} blocks`
  const starts = [
    'by hand',
    ...(workflow.webhook.isActive ? ['by webhook'] : []),
    ...(workflow.isScheduled ? ['on schedule'] : []),
  ]
  return `Deploy puts revision ${workflow.revision} with ${blocks} into use; it can then be started ${starts.join(' and ')}.`
}
