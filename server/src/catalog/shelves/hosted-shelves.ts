// The organizations' own items, remembered. Each use asks for the stamp, one small read, so that what is remembered is never stale; only a
// changed stamp costs reading the items again.
import type { Queryable } from '../../db/index.ts'
import type { Application, BlockTemplate, LibraryFunction, WorkflowTemplate } from '../format/definition.ts'
import { emptyItems, Shelf } from './shelf.ts'
import { findStamp, listInUse, parseItem } from './store.ts'

// Characters of definitions, logos included. Those that were not used for the longest time are forgotten first.
const rememberedSizeMax = 64 * 1024 * 1024

type Remembered = { stamp: number; shelf: Shelf; size: number }

const nothing = new Shelf(emptyItems())

export class HostedShelves {
  readonly #remembered = new Map<string, Remembered>()
  #size = 0

  async get(db: Queryable, organizationId: string): Promise<Shelf> {
    const stamp = await findStamp(db, organizationId)
    if (stamp === null) return nothing
    const known = this.#remembered.get(organizationId)
    if (known) this.#forget(organizationId)
    if (known?.stamp === stamp) {
      this.#remember(organizationId, known)
      return known.shelf
    }
    // Items that are newer than the stamp are no harm: the next use sees a newer stamp and reads again.
    const stored = await listInUse(db, organizationId)
    const shelf = toShelf(stored)
    this.#remember(organizationId, {
      stamp,
      shelf,
      size: stored.reduce((sum, item) => sum + item.definition.length + (item.pinned?.length ?? 0), 0),
    })
    return shelf
  }

  async read(db: Queryable, organizationId: string): Promise<Shelf> {
    return toShelf(await listInUse(db, organizationId))
  }

  #remember(organizationId: string, entry: Remembered): void {
    this.#forget(organizationId)
    this.#remembered.set(organizationId, entry)
    this.#size += entry.size
    for (const oldest of this.#remembered.keys()) {
      if (this.#size <= rememberedSizeMax || oldest === organizationId) break
      this.#forget(oldest)
    }
  }

  #forget(organizationId: string): void {
    this.#size -= this.#remembered.get(organizationId)?.size ?? 0
    this.#remembered.delete(organizationId)
  }
}

function toShelf(stored: Awaited<ReturnType<typeof listInUse>>): Shelf {
  const items = emptyItems()
  for (const one of stored) {
    const { kind, revision } = one
    const item = parseItem(one)
    if (kind === 'application') items.applications.push(item as Application)
    else if (kind === 'function') {
      items.functions.push(item as LibraryFunction)
      items.functionStamp = Math.max(items.functionStamp, one.stamp)
    } else if (kind === 'blockTemplate')
      (revision === 0 ? items.blockDrafts : items.blockTemplates).push(item as BlockTemplate)
    else (revision === 0 ? items.workflowDrafts : items.workflowTemplates).push(item as WorkflowTemplate)
  }
  return new Shelf(items)
}
