import { type Queryable, sql } from '../db/index.ts'
import type { Definition, WorkflowState } from './definition.ts'

export type StoredWorkflow = {
  id: string
  accountId: string
  organizationId: string
  state: WorkflowState
  /** Of the definition beside it, which need not be the newest. */
  revision: number
  definition: Definition
  sealedSecrets: Buffer | null
}

type WorkflowRow = {
  id: string
  account_id: string
  organization_id: string
  state: WorkflowState
  revision: number
  definition: Definition
  sealed_secrets: Buffer | null
}

/** With the revision that is asked for, or the newest one. */
export async function findWorkflow(
  db: Queryable,
  accountId: string,
  id: string,
  revision?: number,
): Promise<StoredWorkflow | undefined> {
  const { rows } = await db.query<WorkflowRow>(sql`
    select w.id, w.account_id, w.organization_id, w.state, r.revision, r.definition, r.sealed_secrets
    from workflows w join workflow_revisions r on r.workflow_id = w.id and r.revision = coalesce(${revision ?? null}::integer, w.revision)
    where w.account_id = ${accountId} and w.id = ${id}`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      organizationId: row.organization_id,
      state: row.state,
      revision: row.revision,
      definition: row.definition,
      sealedSecrets: row.sealed_secrets,
    }
  )
}

export type UseKind = 'application' | 'registeredApplication' | 'blockTemplate'

/** Ids of workflows that are not archived. */
export async function listWorkflowsUsing(
  db: Queryable,
  accountId: string,
  kind: UseKind,
  target: string,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select w.id from workflow_uses u join workflows w on w.id = u.workflow_id
    where u.account_id = ${accountId} and u.kind = ${kind} and u.target = ${target}
      and w.account_id = ${accountId} and w.state <> 'archived'
    order by w.id`)
  return rows.map((row) => row.id)
}
