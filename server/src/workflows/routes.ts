import { scopeOf } from '../access/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { archiveWorkflow } from './archive.ts'
import { type ChangeDeps, changeWorkflow } from './change.ts'
import { createWorkflow } from './create.ts'
import { deleteWorkflow } from './delete.ts'
import { deployWorkflow } from './deploy.ts'
import { type GetDeps, getWorkflow } from './get.ts'
import { listWorkflows, searchWorkflows } from './search.ts'

type Names =
  | 'Workflows'
  | 'WorkflowsSearch'
  | 'Workflow'
  | 'WorkflowCreate'
  | 'WorkflowUpdate'
  | 'DeployWorkflow'
  | 'ArchiveWorkflow'
  | 'DeleteWorkflow'

type WorkflowDeps = ChangeDeps & GetDeps

export function workflowRoutes(deps: WorkflowDeps): HandlersOf<Names> {
  const { database, catalog } = deps
  return {
    Workflows: ({ principal }) => listWorkflows(database.forScope(scopeOf(principal)), principal.account.id),
    WorkflowsSearch: ({ principal, body }) =>
      searchWorkflows({ db: database.forScope(scopeOf(principal)), catalog }, scopeOf(principal), body),
    Workflow: ({ principal, params, query }) => getWorkflow(deps, principal, params.id.toLowerCase(), query.runNumber),
    WorkflowCreate: ({ principal, body }) => createWorkflow(deps, principal, body),
    WorkflowUpdate: ({ principal, params, body }) => changeWorkflow(deps, principal, params.id.toLowerCase(), body),
    DeployWorkflow: ({ principal, params }) => deployWorkflow(deps, principal, params.id.toLowerCase()),
    ArchiveWorkflow: ({ principal, params }) => archiveWorkflow(deps, principal, params.id.toLowerCase()),
    DeleteWorkflow: ({ principal, params }) => deleteWorkflow(deps, principal, params.id.toLowerCase()),
  }
}
