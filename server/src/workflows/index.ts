export type { WorkflowInput } from './apply-changes.ts'
export type { Base } from './base.ts'
export { giveEarlierBases } from './base-backlog.ts'
export { insertBase } from './base-store.ts'
export {
  type Follower,
  findBases,
  listFollowers,
  listReachable,
  loadWorkflows,
  type OpenWorkflow,
} from './bulk/load-workflows.ts'
export { type NewRevision, type SealedRevision, sealRevisions, storeRevisions } from './bulk/store-revisions.ts'
export { listWorkflowsCalling, listWorkflowsOf } from './catalog-uses.ts'
export { checkStorable } from './check-storable.ts'
export type { Definition, WorkflowDefinition } from './definition.ts'
export { findDeployProblems, listNeededApplications } from './deploy-problems.ts'
export {
  countWorkflowsUsing,
  findDefinition,
  findFunctionStamp,
  runnableOf,
  workflowsUsing,
} from './find-definition.ts'
export { type CurrentNames, findBlockNames, findCurrentNames, findWorkflowNames } from './find-names.ts'
export type { CheckScript, WorkflowCatalog, WorkflowConnections } from './ports.ts'
export { previewChange } from './preview-change.ts'
export { RevisionRetention } from './revisions/retention.ts'
export { workflowRoutes } from './routes.ts'
export { hideSecrets, maskDefinition } from './sealed-values.ts'
export { holdWorkflow, workflowExists, workflowTaggable } from './taggable.ts'
export { resolveTemplate } from './template-definition.ts'
