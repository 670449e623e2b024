// What workflows ask of others, as narrow as the use. Rooms to the left satisfy these shapes; what is to the right is passed in by the composition root.
import type { AnswerOf, Operations } from '@patchbay/contract'
import type { ApplicationDefinition, BlockTemplate, WorkflowTemplate } from '../catalog/index.ts'
import type { Scope, Tx } from '../db/index.ts'

export type WorkflowCatalog = {
  findApplication(
    organizationId: string,
    idOrShortName: string,
  ): Promise<Pick<ApplicationDefinition, 'shortName'> | undefined>
  findBlockTemplate(
    organizationId: string,
    id: string,
    options?: { draft?: boolean },
  ): Promise<BlockTemplate | undefined>
  findWorkflowTemplate(
    organizationId: string,
    id: string,
    options?: { draft?: boolean; version?: string },
  ): Promise<WorkflowTemplate | undefined>
  /** The block templates of its chain by id: of a published version as they were when it was published. */
  listBlocksOf(organizationId: string, template: WorkflowTemplate): Promise<Map<string, BlockTemplate>>
}

export type WorkflowConnections = {
  /** Those of the account among the ids; ids of others are left out. */
  list(scope: Scope, ids: string[]): Promise<{ id: string; shortName: string; isAuthenticated: boolean }[]>
  /** Keeps them from being deleted until the transaction ends. Returns those of the ids that have been deleted. */
  hold(tx: Tx, accountId: string, ids: readonly string[]): Promise<string[]>
}

export type CheckScript = (
  source: string,
) => Promise<{ ok: true } | { ok: false; message: string; line: number; column: number }>

export type BlockOfRun = {
  uniqueBlockId: string
  status: string
  startDateTimeUTC: string | null
  endDateTimeUTC: string | null
  tries: number
  childRun: { workflowId: string; runNumber: number } | null
}

export type RunItem = AnswerOf<Operations['GetRunHistory']>['items'][number]

export type WorkflowRuns = {
  /** Undefined when the workflow has no run of that number. `blocks` are those that ended. */
  find(
    scope: Scope,
    workflowId: string,
    runNumber: number,
  ): Promise<{ revision: number; run: RunItem; blocks: BlockOfRun[] } | undefined>
  /** Ids of those that a worker has in hand. */
  listInHand(workflowId: string): Promise<string[]>
  /** As StopWorkflowRun: a block under way finishes, unless it sleeps. `isAborted`: it is ended at once. */
  askToStop(ids: readonly string[], isAborted: boolean): Promise<void>
  /** Takes the runs of a workflow that is being deleted away; false when a worker has one of them in hand. */
  remove(tx: Tx, workflowId: string): Promise<boolean>
}

export type WorkflowWebhooks = {
  /** Where others send requests to, query included. */
  addressOf(scope: Scope, workflowId: string): string | Promise<string>
}
