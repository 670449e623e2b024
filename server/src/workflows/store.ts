import type { RevisionReason } from '@patchbay/contract'
import { type Queryable, type Scope, sql, type Tx } from '../db/index.ts'
import type { Definition, WorkflowState } from './definition/definition.ts'
import { listUses, type UseKind } from './definition/uses.ts'

export type StoredWorkflow = {
  id: string
  accountId: string
  organizationId: string
  state: WorkflowState
  /** Of the definition beside it, which need not be the newest. */
  revision: number
  definition: Definition
  sealedSecrets: Buffer | null
  /** The template it was made from. */
  workflowTemplateId: string | null
  /** The version of its template that this revision follows. */
  templateVersion: string | null
  /** Names the row of `workflow_bases` that this revision descends from; null without a template. */
  baseDigest: Buffer | null
}

type WorkflowRow = {
  id: string
  account_id: string
  organization_id: string
  state: WorkflowState
  revision: number
  definition: Definition
  sealed_secrets: Buffer | null
  workflow_template_id: string | null
  template_version: string | null
  base_digest: Buffer | null
}

/** With the revision that is asked for, or the newest one. */
export async function findWorkflow(
  db: Queryable,
  accountId: string,
  id: string,
  revision?: number,
): Promise<StoredWorkflow | undefined> {
  const { rows } = await db.query<WorkflowRow>(sql`
    select w.id, w.account_id, w.organization_id, w.state, w.workflow_template_id, r.revision, r.definition, r.sealed_secrets, r.template_version, r.base_digest
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
      workflowTemplateId: row.workflow_template_id,
      templateVersion: row.template_version,
      baseDigest: row.base_digest,
    }
  )
}

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

/** How many of them there are; targets that none uses are left out. */
export async function countWorkflowsUsing(
  db: Queryable,
  accountId: string,
  kind: UseKind,
  targets: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ target: string; count: number }>(sql`
    select u.target, count(*) as count from workflow_uses u join workflows w on w.id = u.workflow_id
    where u.account_id = ${accountId} and u.kind = ${kind} and u.target = any(${targets}::text[]) and w.account_id = ${accountId}
      and w.state <> 'archived'
    group by u.target`)
  return new Map(rows.map((row) => [row.target, row.count]))
}

export type NewWorkflow = {
  id: string
  accountId: string
  organizationId: string
  template: { id: string; version: string | null } | undefined
  definition: Definition
}

export async function insertWorkflow(tx: Queryable, workflow: NewWorkflow): Promise<void> {
  const { id, accountId, organizationId, template, definition } = workflow
  await tx.query(sql`
    insert into workflows (id, account_id, organization_id, name, description, workflow_template_id, template_version, is_customized_structure, applications)
    values (${id}, ${accountId}, ${organizationId}, ${definition.name}, ${definition.description}, ${template?.id ?? null}, ${template?.version ?? null},
            ${definition.isCustomizedStructure}, ${JSON.stringify(definition.applications)})`)
}

/** False when the workflow is not at this revision and in this state any more. */
export async function updateWorkflow(
  tx: Queryable,
  { accountId, id }: { accountId: string; id: string },
  expected: { revision: number; state: WorkflowState },
  next: { definition: Definition; templateVersion: string | null },
): Promise<boolean> {
  const { definition, templateVersion } = next
  const { rowCount } = await tx.query(sql`
    update workflows set revision = revision + 1, name = ${definition.name}, description = ${definition.description},
      is_customized_structure = ${definition.isCustomizedStructure}, applications = ${JSON.stringify(definition.applications)},
      template_version = ${templateVersion}, modified_at = now()
    where account_id = ${accountId} and id = ${id} and revision = ${expected.revision} and state = ${expected.state}`)
  return rowCount > 0
}

/** Who made a revision, why, and which version of the template it follows. */
export type RevisionOrigin = {
  createdBy: string
  reason: RevisionReason
  templateVersion: string | null
  baseDigest: Buffer | null
}

export async function insertRevision(
  tx: Queryable,
  key: { workflowId: string; accountId: string; revision: number },
  sealed: { definition: Definition; sealedSecrets: Buffer | null },
  origin: RevisionOrigin,
): Promise<void> {
  await tx.query(sql`
    insert into workflow_revisions (workflow_id, revision, account_id, definition, sealed_secrets, created_by, reason, template_version, base_digest)
    values (${key.workflowId}, ${key.revision}, ${key.accountId}, ${JSON.stringify(sealed.definition)}, ${sealed.sealedSecrets},
            ${origin.createdBy}, ${origin.reason}, ${origin.templateVersion}, ${origin.baseDigest})`)
}

export async function insertUses(
  tx: Queryable,
  accountId: string,
  workflowId: string,
  definition: Definition,
): Promise<void> {
  const uses = listUses(definition)
  if (uses.length === 0) return
  await tx.query(sql`
    insert into workflow_uses (workflow_id, account_id, kind, target)
    select ${workflowId}, ${accountId}, kind, target
    from unnest(${uses.map((use) => use.kind)}::text[], ${uses.map((use) => use.target)}::text[]) as used (kind, target)`)
}

export async function deleteUses(tx: Queryable, accountId: string, workflowId: string): Promise<void> {
  await tx.query(sql`delete from workflow_uses where account_id = ${accountId} and workflow_id = ${workflowId}`)
}

export async function findStateForUpdate(
  tx: Queryable,
  accountId: string,
  id: string,
): Promise<WorkflowState | undefined> {
  const { rows } = await tx.query<{ state: WorkflowState }>(
    sql`select state from workflows where account_id = ${accountId} and id = ${id} for update`,
  )
  return rows[0]?.state
}

/** False when another revision or state is there by now. */
export async function setDeployed(tx: Queryable, accountId: string, id: string, revision: number): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update workflows w set state = 'deployed', function_stamp = ${newestFunctionStamp}, modified_at = now()
    where account_id = ${accountId} and id = ${id} and revision = ${revision} and state = 'inDevelopment'`)
  return rowCount > 0
}

/** A workflow that is deployed again takes the organization's functions as they are now. False when it has them already. */
export async function renewFunctions(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update workflows w set function_stamp = ${newestFunctionStamp}
    where account_id = ${accountId} and id = ${id} and state = 'deployed' and function_stamp is distinct from ${newestFunctionStamp}`)
  return rowCount > 0
}

const newestFunctionStamp = sql`(
  select coalesce(max(f.stamp), 0) from catalog_items f where f.organization_id = w.organization_id and f.kind = 'function')`

/** Null unless the workflow is deployed. */
export async function findFunctionStamp(db: Queryable, id: string): Promise<number | null> {
  const { rows } = await db.query<{ function_stamp: number | null }>(
    sql`select function_stamp from workflows where id = ${id} and state = 'deployed'`,
  )
  return rows[0]?.function_stamp ?? null
}

/** Schedule and webhook end with it: both look at these columns. */
export async function setArchived(tx: Queryable, accountId: string, id: string): Promise<void> {
  await tx.query(sql`
    update workflows set state = 'archived', is_scheduled = false, next_run_at = null, is_webhook_active = false,
      is_auto_run_paused = false, next_try_at = null, pause_tries = 0, missed_tick = null, modified_at = now()
    where account_id = ${accountId} and id = ${id}`)
}

/** Rows that name the workflow go with it by their foreign keys; tags name entities of every kind and have none. False when it is gone. */
export async function deleteWorkflowRow(tx: Queryable, scope: Scope, id: string): Promise<boolean> {
  const [{ rowCount }] = await Promise.all([
    tx.query(sql`delete from workflows where account_id = ${scope.accountId} and id = ${id}`),
    tx.query(sql`
      delete from tags where organization_id = ${scope.organizationId} and entity_type = 'workflow' and entity_id = ${id}`),
  ])
  return rowCount > 0
}

/** For whoever waits to delete it. It ends by itself, should that one die. */
export async function preventStarts(db: Queryable, accountId: string, id: string): Promise<void> {
  await db.query(sql`
    update workflows set deleting_until = now() + interval '30 seconds'
    where account_id = ${accountId} and id = ${id} and (deleting_until is null or deleting_until < now() + interval '15 seconds')`)
}

export async function allowStarts(db: Queryable, accountId: string, id: string): Promise<void> {
  await db.query(sql`update workflows set deleting_until = null where account_id = ${accountId} and id = ${id}`)
}

export async function hasWorkflow(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql`select from workflows where account_id = ${accountId} and id = ${id}`)
  return rowCount > 0
}

/** Like `hasWorkflow`, and it stays until the transaction ends. */
export async function holdWorkflow(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql`select from workflows where account_id = ${accountId} and id = ${id} for key share`,
  )
  return rowCount > 0
}
