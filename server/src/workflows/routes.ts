import { type Principal, reachOf, scopeOf } from '../access/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import { createWorkflow } from './change/create.ts'
import { pushWorkflows } from './change/push.ts'
import { type ChangeDeps, changeWorkflow } from './change/update.ts'
import { type GetDeps, getWorkflow } from './read/get.ts'
import { listWorkflows, searchWorkflows } from './read/search.ts'
import { getDifference } from './revisions/difference.ts'
import { eTagOf, readIfMatch } from './revisions/if-match.ts'
import { listRevisions } from './revisions/list-revisions.ts'
import { restoreRevision } from './revisions/restore.ts'
import { archiveWorkflow } from './state/archive.ts'
import { deleteWorkflow } from './state/delete.ts'
import { deployWorkflow } from './state/deploy.ts'

type Names =
  | 'Workflows'
  | 'WorkflowsSearch'
  | 'Workflow'
  | 'WorkflowCreate'
  | 'WorkflowUpdate'
  | 'PushWorkflows'
  | 'WorkflowRevisions'
  | 'WorkflowDifference'
  | 'RestoreRevision'
  | 'DeployWorkflow'
  | 'ArchiveWorkflow'
  | 'DeleteWorkflow'

type WorkflowDeps = ChangeDeps & GetDeps & { ledger: Pick<StorageLedger, 'requireRoom'> }

export function workflowRoutes(deps: WorkflowDeps): HandlersOf<Names> {
  const { database, catalog } = deps
  /** Whatever is saved is a revision that stays for years. */
  const requireRoom = ({ account }: Principal) => deps.ledger.requireRoom(account.id)
  return {
    Workflows: ({ principal }) => listWorkflows(database.forScope(scopeOf(principal)), principal.account.id),
    WorkflowsSearch: ({ principal, body }) => {
      const reach = reachOf(principal, body.acrossAccounts)
      // Rows of several accounts are nobody's own: the conditions on them are those of the reach.
      const db = reach.kind === 'account' ? database.forScope(scopeOf(principal)) : database.system
      return searchWorkflows({ db, catalog }, reach, body)
    },
    Workflow: async ({ principal, params, query, exchange }) => {
      const workflow = await getWorkflow(deps, principal, params.id, query)
      exchange.setHeader('ETag', eTagOf(workflow.revision))
      return workflow
    },
    WorkflowCreate: ({ principal, body }) => {
      requireRoom(principal)
      return createWorkflow(deps, principal, body)
    },
    WorkflowUpdate: async ({ principal, params, body, exchange }) => {
      requireRoom(principal)
      const expectedRevisions = readIfMatch(exchange.header('if-match'))
      const change = { id: params.id, given: body, expectedRevisions }
      exchange.setHeader('ETag', eTagOf(await changeWorkflow(deps, principal, change)))
    },
    PushWorkflows: ({ principal, body }) => {
      requireRoom(principal)
      return pushWorkflows(deps, principal, body.workflows)
    },
    WorkflowRevisions: ({ principal, params, body }) => listRevisions(deps, principal, params.workflowId, body),
    WorkflowDifference: ({ principal, params, query }) => getDifference(deps, principal, params.workflowId, query),
    RestoreRevision: ({ principal, params, body }) => {
      requireRoom(principal)
      return restoreRevision(deps, principal, params.workflowId, body.revision)
    },
    DeployWorkflow: ({ principal, params }) => deployWorkflow(deps, principal, params.id),
    ArchiveWorkflow: ({ principal, params }) => archiveWorkflow(deps, principal, params.id),
    DeleteWorkflow: ({ principal, params }) => deleteWorkflow(deps, principal, params.id),
  }
}
