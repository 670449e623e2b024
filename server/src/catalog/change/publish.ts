// Draft -> next version. The draft is gone then; what was published stays as it is.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, inOrder } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { templateNames } from '../read/read-templates.ts'
import type { Catalog } from '../shelves/catalog.ts'
import { deleteDraft, listKnownVersions, raiseStamp, type TemplateKind, writeItems } from '../shelves/store.ts'
import { nextVersion } from './next-version.ts'
import { requireOwner } from './owners.ts'
import { toStored, unpublishedBlocks } from './plan-import.ts'

type Deps = { database: Database; catalog: Catalog }

export async function publishDraft(
  deps: Deps,
  principal: Principal,
  { kind, id, version }: { kind: TemplateKind; id: string; version: string | undefined },
): Promise<string> {
  const { organizationId } = principal.account
  return deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    await raiseStamp(tx, organizationId)
    const hosted = await deps.catalog.hostedOn(tx, organizationId)
    const draft = hosted.findTemplate(kind, id, true)
    if (!draft && !hosted.findTemplate(kind, id, false)) throw notFound(templateNames[kind])
    await requireOwner(tx, principal, { kind, id }, templateNames[kind])
    if (!draft) throw notPublishable(`The ${templateNames[kind]} has no draft to publish.`)
    const findPublishedBlock = (blockId: string) => deps.catalog.findPublishedBlock(hosted, blockId)
    const standsOn = 'chain' in draft && unpublishedBlocks(draft, findPublishedBlock)
    if (standsOn) throw notPublishable(standsOn)
    const known = await listKnownVersions(tx, organizationId, [{ id, version: null }])
    const earlier = known.filter((entry) => entry.kind === kind).sort((a, b) => b.revision - a.revision)
    const taken = earlier.flatMap((entry) => entry.version ?? [])
    if (version !== undefined && taken.includes(version)) {
      throw notPublishable(`The version "${version}" is already published.`)
    }
    const published = { ...draft, state: 'Published' as const, version: version ?? nextVersion(taken) }
    const revision = (earlier[0]?.revision ?? 0) + 1
    const item = toStored(kind, published, revision, findPublishedBlock)
    // Once the draft is gone, the item belongs to somebody only if the published one is there.
    await inOrder(tx, [
      (db) => writeItems(db, organizationId, principal.caller.id, [item]),
      (db) => deleteDraft(db, organizationId, kind, id),
      (db) =>
        recordAudit(db, actorOf(principal), {
          action: `${kind}.published`,
          target: id,
          details: { version: published.version },
        }),
    ])
    return published.version
  })
}

function notPublishable(message: string): AppError {
  return new AppError('draft_not_publishable', message)
}
