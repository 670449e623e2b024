export type { WorkflowDefinition } from './definition.ts'
export { countWorkflowsUsing, findDefinition, workflowsUsing } from './find-definition.ts'
export { workflowRoutes } from './routes.ts'
export { holdWorkflow, workflowExists, workflowTaggable } from './taggable.ts'
