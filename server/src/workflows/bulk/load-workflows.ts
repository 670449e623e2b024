// Workflows of many accounts at once, for those who change them together. `db` must see all of these accounts.
import { accountName, accountsInReach, type Reach } from '../../access/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition, WorkflowState } from '../definition/definition.ts'
import { openDefinition } from '../definition/sealed-values.ts'
import type { StoredWorkflow } from '../store.ts'

export type Follower = {
  id: string
  accountId: string
  accountName: string
  accountEmail: string
  state: WorkflowState
  templateVersion: string | null
}

type FollowerRow = {
  id: string
  account_id: string
  account_name: string
  email: string
  state: WorkflowState
  version: string | null
}

/** Workflows made from a template in the accounts that somebody reaches, archived ones included. */
export async function listFollowers(db: Queryable, reach: Reach, workflowTemplateId: string): Promise<Follower[]> {
  const { rows } = await db.query<FollowerRow>(sql`
    select w.id, w.account_id, ${accountName} as account_name, a.email, w.state, w.template_version as version from workflows w join accounts a on a.id = w.account_id
    where w.organization_id = ${reach.organizationId} and w.workflow_template_id = ${workflowTemplateId} and ${accountsInReach(reach)}
    order by w.id`)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    accountEmail: row.email,
    state: row.state,
    templateVersion: row.version,
  }))
}

/** Those of the ids that are workflows in reach, whatever their template. */
export async function listReachable(db: Queryable, reach: Reach, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(sql`
    select w.id from workflows w join accounts a on a.id = w.account_id
    where w.id = any(${ids}::uuid[]) and ${accountsInReach(reach)}`)
  return new Set(rows.map(({ id }) => id))
}

/** A workflow with its secrets in their places. */
export type OpenWorkflow = Omit<StoredWorkflow, 'definition' | 'sealedSecrets'> & { definition: Definition }

type Row = {
  id: string
  account_id: string
  organization_id: string
  state: WorkflowState
  workflow_template_id: string | null
  revision: number
  definition: Definition
  sealed_secrets: Buffer | null
  template_version: string | null
  base_digest: Buffer | null
}

/** In the revisions that are given, or in the newest ones. What does not exist is left out. */
export async function loadWorkflows(
  db: Queryable,
  keyRing: KeyRing,
  wanted: readonly { id: string; revision?: number | null }[],
): Promise<Map<string, OpenWorkflow>> {
  const { rows } = await db.query<Row>(sql`
    select w.id, w.account_id, w.organization_id, w.state, w.workflow_template_id, r.revision, r.definition, r.sealed_secrets,
      r.template_version, r.base_digest
    from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ revision }) => revision ?? null)}::integer[]) as n (id, revision)
    join workflows w on w.id = n.id
    join workflow_revisions r on r.workflow_id = w.id and r.revision = coalesce(n.revision, w.revision)`)
  const opened = rows.map(async (row): Promise<[string, OpenWorkflow]> => {
    const key = { workflowId: row.id, accountId: row.account_id, revision: row.revision }
    const stored = { definition: row.definition, sealedSecrets: row.sealed_secrets }
    return [
      row.id,
      {
        id: row.id,
        accountId: row.account_id,
        organizationId: row.organization_id,
        state: row.state,
        workflowTemplateId: row.workflow_template_id,
        revision: row.revision,
        templateVersion: row.template_version,
        baseDigest: row.base_digest,
        definition: await openDefinition(keyRing, key, stored),
      },
    ]
  })
  return new Map(await Promise.all(opened))
}

/** By digest in hexadecimal. */
export async function findBases(db: Queryable, digests: readonly Buffer[]): Promise<Map<string, Definition>> {
  if (digests.length === 0) return new Map()
  const { rows } = await db.query<{ digest: Buffer; definition: Definition }>(
    sql`select digest, definition from workflow_bases where digest = any(${digests}::bytea[])`,
  )
  return new Map(rows.map(({ digest, definition }) => [digest.toString('hex'), definition]))
}
