import type { Answer } from '../api.ts'
import { Chip } from '../ui/chip.tsx'

export type WorkflowSummary = Answer<'WorkflowsSearch'>['workflows'][number]

export const stateWords = { inDevelopment: 'In development', deployed: 'Deployed', archived: 'Archived' } as const

export function WorkflowStateChip({ state }: { state: WorkflowSummary['workflowState'] }) {
  if (state === 'deployed') {
    return (
      <Chip tone="green" shape="dot">
        {stateWords.deployed}
      </Chip>
    )
  }
  return (
    <Chip tone="grey" shape={state === 'archived' ? 'square' : 'ring'}>
      {stateWords[state]}
    </Chip>
  )
}

/** With what holds it. */
export function WorkflowState({
  workflowState,
  isAutoRunPaused,
}: Pick<WorkflowSummary, 'workflowState' | 'isAutoRunPaused'>) {
  return (
    <span className="flex gap-1.5">
      <WorkflowStateChip state={workflowState} />
      {isAutoRunPaused && (
        <Chip tone="amber" shape="bars">
          Paused
        </Chip>
      )}
    </span>
  )
}
