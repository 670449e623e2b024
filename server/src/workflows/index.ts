export type { Json, WorkflowDefinition, WorkflowState } from './definition.ts'
export { findDefinition, workflowsUsing } from './find-definition.ts'
