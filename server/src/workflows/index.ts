export { type ChosenWorkflow, listChosen } from './bulk/list-chosen.ts'
export {
  type Follower,
  findBases,
  listFollowers,
  listReachable,
  loadWorkflows,
  type OpenWorkflow,
} from './bulk/load-workflows.ts'
export { type NewRevision, type SealedRevision, sealRevisions, storeRevisions } from './bulk/store-revisions.ts'
export type { WorkflowInput } from './change/apply-changes.ts'
export { checkStorable } from './change/check-storable.ts'
export { previewChange } from './change/preview-change.ts'
export type { Definition, WorkflowDefinition } from './definition/definition.ts'
export { findDeployProblems, listNeededApplications } from './definition/deploy-problems.ts'
export { hideSecrets, maskDefinition } from './definition/sealed-values.ts'
export type { CheckScript, WorkflowCatalog, WorkflowConnections } from './ports.ts'
export { listWorkflowsCalling, listWorkflowsOf } from './read/catalog-uses.ts'
export {
  countWorkflowsUsing,
  findDefinition,
  findFunctionStamp,
  runnableOf,
  workflowsUsing,
} from './read/find-definition.ts'
export { type CurrentNames, findBlockNames, findCurrentNames, findWorkflowNames } from './read/find-names.ts'
export { holdWorkflow, workflowExists, workflowTaggable } from './read/taggable.ts'
export { RevisionRetention } from './revisions/retention.ts'
export { workflowRoutes } from './routes.ts'
export { deployWorkflow, findDeployRefusal } from './state/deploy.ts'
export type { Base } from './template/base.ts'
export { giveEarlierBases } from './template/base-backlog.ts'
export { insertBase } from './template/base-store.ts'
export { bindAs } from './template/sub-templates.ts'
export { resolveTemplate } from './template/template-definition.ts'
