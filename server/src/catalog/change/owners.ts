// Hosted items belong to the account that brought them first: others use them, but do not change what they do.
import { hasRank, type Principal } from '../../access/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ItemKind } from '../shelves/store.ts'

type Key = { kind: ItemKind; id: string }
export type MayChange = (kind: ItemKind, id: string) => boolean

/** Asked within a change, before anything is written. What nobody brought yet may be brought by anyone. */
export async function whatMayChange(tx: Queryable, principal: Principal, ids: readonly string[]): Promise<MayChange> {
  if (hasRank(principal, 'SuperPartner')) return () => true
  const { rows } = await tx.query<Key>(sql`
    select kind, id from catalog_owners
    where organization_id = ${principal.account.organizationId} and id = any(${ids}::uuid[])
      and account_id is distinct from ${principal.caller.id}`)
  const foreign = new Set(rows.map(({ kind, id }) => `${kind} ${id}`))
  return (kind, id) => !foreign.has(`${kind} ${id}`)
}

export async function requireOwner(
  tx: Queryable,
  principal: Principal,
  { kind, id }: Key,
  name: string,
): Promise<void> {
  const mayChange = await whatMayChange(tx, principal, [id])
  if (!mayChange(kind, id)) throw new AppError('not_the_creator', notYours(name))
}

export function notYours(name: string): string {
  return `The ${name} belongs to the account that created it. Ask that account, a SuperPartner or a Manager to change it.`
}

/** The first to bring an item stays its owner. */
export async function writeOwners(
  tx: Queryable,
  organizationId: string,
  accountId: string,
  items: readonly Key[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(sql`
    insert into catalog_owners (organization_id, kind, id, account_id)
    select ${organizationId}, kind, id, ${accountId}
    from unnest(${items.map(({ kind }) => kind)}::text[], ${items.map(({ id }) => id)}::uuid[]) as given (kind, id)
    on conflict (organization_id, kind, id) do nothing`)
}
