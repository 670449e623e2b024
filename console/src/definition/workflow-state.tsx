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
