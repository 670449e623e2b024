// What upgrades ask of others, as narrow as the use.
import type { WorkflowTemplate } from '../catalog/index.ts'
import type { Database } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import type { JobQueue } from '../queue/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { CheckScript, WorkflowCatalog, WorkflowConnections } from '../workflows/index.ts'

export type UpgradeCatalog = WorkflowCatalog & {
  /** Published ones, oldest first. */
  listTemplateVersions(organizationId: string, id: string): Promise<string[]>
  findWorkflowTemplate(
    organizationId: string,
    id: string,
    options?: { draft?: boolean; version?: string },
  ): Promise<WorkflowTemplate | undefined>
}

/** Enough to say what an upgrade would do. */
export type JudgeDeps = {
  database: Database
  keyRing: KeyRing
  catalog: UpgradeCatalog
  connections: WorkflowConnections
  checkScript: CheckScript
}

export type UpgradeDeps = JudgeDeps & {
  jobs: Pick<JobQueue, 'sendMany'>
  publish: PublishEvents
  baseUrl(): string
  /** Tells whoever watches that a workflow is another now. */
  onChanged(accountId: string, workflowId: string, operation: string): void
  onFault(error: unknown): void
}
