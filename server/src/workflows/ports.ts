// What workflows ask of others, as narrow as the use. Rooms to the left satisfy these shapes; what is to the right is passed in by the composition root.
import type { Application, BlockTemplate, WorkflowTemplate } from '../catalog/definition.ts'
import type { Scope, Tx } from '../db/index.ts'

export type WorkflowCatalog = {
  findApplication(organizationId: string, idOrShortName: string): Promise<Pick<Application, 'shortName'> | undefined>
  findBlockTemplate(
    organizationId: string,
    id: string,
    options?: { draft?: boolean },
  ): Promise<BlockTemplate | undefined>
  findWorkflowTemplate(
    organizationId: string,
    id: string,
    options?: { draft?: boolean },
  ): Promise<WorkflowTemplate | undefined>
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

export type WorkflowRuns = {
  /** `run` is the run history item; undefined when the workflow has no run of that number. */
  find(
    scope: Scope,
    workflowId: string,
    runNumber: number,
  ): Promise<{ revision: number; run: object; blocks: BlockOfRun[] } | undefined>
  /** Before a workflow is deleted: whatever runs must not write once its rows are gone. */
  stop(tx: Tx, workflowId: string): Promise<void>
}

export type WorkflowWebhooks = {
  /** Where others send requests to, query included. */
  addressOf(scope: Scope, workflowId: string): string | Promise<string>
}
