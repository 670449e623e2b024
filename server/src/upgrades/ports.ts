// What upgrades ask of others, as narrow as the use.
import type { WorkflowTemplate } from '../catalog/index.ts'
import type { Database } from '../db/index.ts'
import type { PublishEvents } from '../events/index.ts'
import type { JobQueue } from '../queue/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { CheckScript, Definition, WorkflowCatalog, WorkflowConnections } from '../workflows/index.ts'

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

type Rehearsal = {
  accountId: string
  workflowId: string
  /** What the workflow is to become. */
  definition: Definition
  lastRuns: number
  signal: AbortSignal
}
type BrokenRun = { runNumber: number; message: string }

export type UpgradeDeps = JudgeDeps & {
  jobs: Pick<JobQueue, 'sendMany'>
  publish: PublishEvents
  baseUrl(): string
  /** Replays the last recorded runs. Returns the newest one that was Ready and would fail. */
  findBrokenRun(change: Rehearsal): Promise<BrokenRun | undefined>
  /** How long upgrades that are over stay readable. */
  daysKept: number
  /** Tells whoever watches that a workflow is another now. */
  onChanged(accountId: string, workflowId: string, operation: string): void
  onFault(error: unknown): void
}
