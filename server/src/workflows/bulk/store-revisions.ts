// New revisions of many workflows in a few statements. Each is fenced by the revision and the state it was decided upon, like a single one.
import { isDeepStrictEqual } from 'node:util'
import type { RevisionReason } from '@patchbay/contract'
import { type Actor, recordAudits } from '../../audit/index.ts'
import { inOrder, type Queryable, sql, type Tx } from '../../db/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { sealDefinition } from '../definition/sealed-values.ts'
import { listUses } from '../definition/uses.ts'
import { auditActions } from '../revisions/save-revision.ts'
import type { OpenWorkflow } from './load-workflows.ts'

export type NewRevision = {
  current: OpenWorkflow
  next: Definition
  templateVersion: string | null
  baseDigest: Buffer | null
  reason: RevisionReason
  createdBy: string
  actor: Actor
}

export type SealedRevision = NewRevision & { stored: Definition; sealedSecrets: Buffer | null }

/** Outside of the transaction, because the keys of an account may have to be read first. */
export function sealRevisions(keyRing: KeyRing, revisions: readonly NewRevision[]): Promise<SealedRevision[]> {
  return Promise.all(
    revisions.map(async (revision) => {
      const { id, accountId, revision: before } = revision.current
      const key = { workflowId: id, accountId, revision: before + 1 }
      const { definition, sealedSecrets } = await sealDefinition(keyRing, key, revision.next)
      return { ...revision, stored: definition, sealedSecrets }
    }),
  )
}

/** Ids of the workflows that got theirs; the others were changed, archived or deleted meanwhile. */
export async function storeRevisions(tx: Tx, revisions: readonly SealedRevision[]): Promise<Set<string>> {
  if (revisions.length === 0) return new Set()
  const changed = await updateWorkflows(tx, revisions)
  const stored = revisions.filter(({ current }) => changed.has(current.id))
  if (stored.length === 0) return changed
  await Promise.all([
    insertRevisions(tx, stored),
    replaceUses(tx, stored),
    recordAudits(
      tx,
      stored.map(({ current, next, reason, actor }) => ({
        actor,
        action: auditActions[reason],
        target: current.id,
        details: { revision: current.revision + 1, changed: changedFields(current.definition, next) },
      })),
    ),
  ])
  return changed
}

function changedFields(before: Definition, after: Definition): string[] {
  return Object.keys(after).filter(
    (field) => !isDeepStrictEqual(after[field as keyof Definition], before[field as keyof Definition]),
  )
}

async function updateWorkflows(tx: Queryable, revisions: readonly SealedRevision[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(sql`
    with input as materialized (
      select * from unnest(
        ${revisions.map(({ current }) => current.id)}::uuid[], ${revisions.map(({ current }) => current.revision)}::integer[],
        ${revisions.map(({ current }) => current.state)}::text[], ${revisions.map(({ next }) => next.name)}::text[],
        ${revisions.map(({ next }) => next.description)}::text[], ${revisions.map(({ next }) => next.isCustomizedStructure)}::boolean[],
        ${revisions.map(({ next }) => JSON.stringify(next.applications))}::text[],
        ${revisions.map(({ templateVersion }) => templateVersion)}::text[]
      ) as i (id, revision, state, name, description, is_customized_structure, applications, template_version)
    ), locked as materialized (
      -- In the order in which ends of runs lock them.
      select w.id from input i join workflows w on w.id = i.id and w.revision = i.revision and w.state = i.state
      order by w.id for no key update of w
    )
    update workflows w set revision = w.revision + 1, name = i.name, description = i.description,
      is_customized_structure = i.is_customized_structure, applications = i.applications::jsonb,
      template_version = i.template_version, modified_at = now()
    from locked l join input i on i.id = l.id
    where w.id = l.id and w.revision = i.revision and w.state = i.state
    returning w.id`)
  return new Set(rows.map(({ id }) => id))
}

async function insertRevisions(tx: Queryable, revisions: readonly SealedRevision[]): Promise<void> {
  await tx.query(sql`
    insert into workflow_revisions (workflow_id, revision, account_id, definition, sealed_secrets, created_by, reason, template_version, base_digest)
    select n.workflow_id, n.revision, n.account_id, n.definition::json, n.sealed_secrets, n.created_by, n.reason, n.template_version, n.base_digest
    from unnest(
      ${revisions.map(({ current }) => current.id)}::uuid[], ${revisions.map(({ current }) => current.revision + 1)}::integer[],
      ${revisions.map(({ current }) => current.accountId)}::uuid[], ${revisions.map(({ stored }) => JSON.stringify(stored))}::text[],
      ${revisions.map(({ sealedSecrets }) => sealedSecrets)}::bytea[], ${revisions.map(({ createdBy }) => createdBy)}::uuid[],
      ${revisions.map(({ reason }) => reason)}::text[], ${revisions.map(({ templateVersion }) => templateVersion)}::text[],
      ${revisions.map(({ baseDigest }) => baseDigest)}::bytea[]
    ) as n (workflow_id, revision, account_id, definition, sealed_secrets, created_by, reason, template_version, base_digest)`)
}

async function replaceUses(tx: Queryable, revisions: readonly SealedRevision[]): Promise<void> {
  const uses = revisions.flatMap(({ current: { id, accountId }, next }) =>
    listUses(next).map((use) => ({ id, accountId, ...use })),
  )
  await inOrder(tx, [
    (db) =>
      db.query(
        sql`delete from workflow_uses where workflow_id = any(${revisions.map(({ current }) => current.id)}::uuid[])`,
      ),
    (db) =>
      db.query(sql`
      insert into workflow_uses (workflow_id, account_id, kind, target)
      select * from unnest(${uses.map(({ id }) => id)}::uuid[], ${uses.map(({ accountId }) => accountId)}::uuid[],
        ${uses.map(({ kind }) => kind)}::text[], ${uses.map(({ target }) => target)}::text[])`),
  ])
}
