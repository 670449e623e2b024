// An organization takes an item of its own away, as a whole: draft, published versions and tags. What is in use stays, and the refusal names
// who uses it.
import { mayActFor, type Principal } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import type { CatalogUses } from '../ports.ts'
import { templateNames } from '../read/read-templates.ts'
import type { Catalog } from '../shelves/catalog.ts'
import type { Shelf } from '../shelves/shelf.ts'
import { deleteItem as deleteStored, type Item, type ItemKind, raiseStamp } from '../shelves/store.ts'
import { listUsers, type Users } from './item-users.ts'
import { requireOwner } from './owners.ts'

export type DeleteDeps = { database: Database; catalog: Catalog; uses: CatalogUses }

const names = { ...templateNames, application: 'application', function: 'function' } as const
const idsTold = 50

export async function deleteItem(deps: DeleteDeps, principal: Principal, kind: ItemKind, id: string): Promise<boolean> {
  const { organizationId } = principal.account
  // Those who use it may be in any account of the organization.
  return deps.database.system.transaction(async (tx) => {
    await raiseStamp(tx, organizationId)
    const hosted = await deps.catalog.hostedOn(tx, organizationId)
    const item = findItem(hosted, kind, id)
    if (!item) throw notFound(names[kind])
    await requireOwner(tx, principal, { kind, id }, names[kind])
    const users = await listUsers({ uses: deps.uses, db: tx, organizationId, hosted }, kind, item)
    if (users.some(({ uses }) => uses.length > 0)) throw inUse(principal, names[kind], users)
    if (!(await deleteStored(tx, organizationId, kind, id))) throw notFound(names[kind])
    await recordAudit(tx, actorOf(principal), { action: `${kind}.deleted`, target: id, details: { name: item.name } })
    return true
  })
}

function findItem(hosted: Shelf, kind: ItemKind, id: string): Item | undefined {
  if (kind === 'application') return hosted.items.applications.find((item) => item.id === id)
  if (kind === 'function') return hosted.items.functions.find((item) => item.id === id)
  return hosted.findTemplate(kind, id, false) ?? hosted.findTemplate(kind, id, true)
}

/** Ids in accounts out of the caller's reach are counted and not told. */
function inUse({ caller }: Principal, name: string, users: readonly Users[]): AppError {
  const told = users.flatMap(({ what, uses }) => {
    // A template may use it in its draft and in what is published.
    const all = [...new Map(uses.map((use) => [use.id, use])).values()]
    const reached = all.filter(
      (use) => !('accountId' in use) || mayActFor(caller, { id: use.accountId, createdBy: use.accountCreatedBy }),
    )
    const ids = reached.slice(0, idsTold).map(({ id }) => id)
    const more = all.length - ids.length
    if (all.length === 0) return []
    if (ids.length === 0) return [`${what} that you cannot see (${more})`]
    return [`the ${what} ${[...ids, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`]
  })
  return new AppError(
    'catalog_item_in_use',
    `The ${name} cannot be deleted because it is used by ${told.join(' and by ')}.`,
  )
}
