import { type Queryable, sql } from '../../db/index.ts'
import type { Definition } from '../definition/definition.ts'
import type { Base } from './base.ts'

export async function insertBase(tx: Queryable, { digest, organizationId, template, definition }: Base): Promise<void> {
  await tx.query(sql`
    insert into workflow_bases (digest, organization_id, workflow_template_id, template_version, definition)
    values (${digest}, ${organizationId}, ${template.id}, ${template.version}, ${definition})
    on conflict (digest) do nothing`)
}

export type WithoutBase = {
  id: string
  organization_id: string
  workflow_template_id: string
  template_version: string | null
  /** As the workflow was first stored. */
  first: Definition
}

/** Locks them: another process takes others meanwhile. */
export async function takeWithoutBase(tx: Queryable, limit: number): Promise<WithoutBase[]> {
  const { rows } = await tx.query<WithoutBase>(sql`
    select w.id, w.organization_id, w.workflow_template_id, w.template_version, r.definition as first
    from (select workflow_id from workflows_without_base limit ${limit} for update skip locked) waiting
    join workflows w on w.id = waiting.workflow_id
    join workflow_revisions r on r.workflow_id = w.id and r.revision = 1`)
  return rows
}

/** Of every revision: until now none of them could have had another one. */
export async function setBase(tx: Queryable, workflowId: string, digest: Buffer): Promise<void> {
  await Promise.all([
    tx.query(sql`
      update workflow_revisions set base_digest = ${digest} where workflow_id = ${workflowId} and base_digest is null`),
    tx.query(sql`delete from workflows_without_base where workflow_id = ${workflowId}`),
  ])
}
