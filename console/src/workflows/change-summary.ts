// What a person is about to change, in one line.

import type { Block, WorkflowDetail, WorkflowDraft } from '../definition/workflow-draft.ts'
import { counted } from '../ui/counted.ts'

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
  if (blocks.length > namesMax) return `${counted(blocks.length, 'block')} ${word}`
  return `${blocks.map((block) => block?.blockName).join(' and ')} ${word}`
}

/** What Deploy does to a workflow that is still being built. */
export function deploySummary(workflow: WorkflowDetail): string {
  const starts = [
    'by hand',
    ...(workflow.webhook.isActive ? ['by webhook'] : []),
    ...(workflow.isScheduled ? ['on schedule'] : []),
  ]
  return `Deploy makes revision ${workflow.revision} (${counted(workflow.chain.length, 'block')}) live; it can then be started ${starts.join(' and ')}.`
}
