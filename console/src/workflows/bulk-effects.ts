// What an action on several workflows means for each of them, said before it is done.
import type { WorkflowSummary } from '../definition/workflow-state.tsx'

export type BulkAction = 'Archive' | 'Delete'

export function effectOn(action: BulkAction, workflow: WorkflowSummary): string {
  const stops = [...(workflow.isScheduled ? ['schedule'] : []), ...(workflow.isWebhookActive ? ['webhook'] : [])]
  const stopping = stops.length > 0 ? `${stops.join(' and ')} ${stops.length === 1 ? 'stops' : 'stop'}` : ''
  if (action === 'Archive') {
    if (workflow.workflowState === 'archived') return 'is archived already'
    return stopping || 'has nothing to stop'
  }
  return stopping || 'is removed'
}
