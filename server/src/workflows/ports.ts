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
}

export type CheckScript = (
  source: string,
) => Promise<{ ok: true } | { ok: false; message: string; line: number; column: number }>

export type BlockOfRun = {
  uniqueBlockId: string
  status: string
  startDateTimeUTC: string | null
  endDateTimeUTC: string | null
}

export type RunItem = AnswerOf<Operations['GetRunHistory']>['items'][number]

export type WorkflowRuns = {
  /** Undefined when the workflow has no run of that number. `blocks` are those that ended. */
  find(
    scope: Scope,
    workflowId: string,
    runNumber: number,
  ): Promise<{ revision: number; run: RunItem; blocks: BlockOfRun[] } | undefined>
  /** Takes the runs of a workflow that is being deleted away, also from whoever works on them. */
  stop(tx: Tx, workflowId: string): Promise<void>
}

export type WorkflowWebhooks = {
  /** Where others send requests to, query included. */
  addressOf(scope: Scope, workflowId: string): string | Promise<string>
}
