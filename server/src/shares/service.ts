import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import { notFound } from '../lib/app-error.ts'
import { openContent } from './content.ts'
import { deleteErased, eraseShare, listShares, type ShareRow } from './store.ts'
import type { UploadDeps } from './upload.ts'

type ListDeps = Pick<UploadDeps, 'database' | 'keyRing'>

export async function listSecureShares(deps: ListDeps, principal: Principal) {
  const rows = await listShares(deps.database.forScope(scopeOf(principal)), principal.account.id)
  return Promise.all(rows.map((row) => toListItem(deps, principal.account.id, row)))
}

async function toListItem(deps: ListDeps, accountId: string, row: ShareRow) {
  const content = await openContent(deps.keyRing, accountId, row.id, row.sealed_content)
  const state: 'Active' | 'Locked' | 'Expired' = row.is_expired
    ? 'Expired'
    : row.status === 'Locked'
      ? 'Locked'
      : 'Active'
  return {
    id: row.id,
    state,
    notificationEmail: content.notificationEmail,
    copy: content.copy,
    subject: content.subject,
    isCodeChosen: row.is_code_chosen,
    files: content.files.map(({ name, contentType, bytes }) => ({ name, contentType, bytes })),
    wrongCodes: row.wrong_codes,
    downloads: row.downloads,
    lastDownloadDateTimeUTC: row.last_download_at?.toISOString() ?? null,
    createDateTimeUTC: row.created_at.toISOString(),
    expiresDateTimeUTC: row.expires_at.toISOString(),
  }
}

/** The share is shut for good once its key is gone; the files follow, at once here or soon by the keeper of another data directory. */
export async function takeBackShare(
  deps: Pick<UploadDeps, 'database' | 'files' | 'onFault'>,
  principal: Principal,
  shareId: string,
): Promise<boolean> {
  const storageId = await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const erased = await eraseShare(tx, principal.account.id, shareId)
    if (!erased) throw notFound('share')
    await recordAudit(tx, actorOf(principal), { action: 'share.takenBack', target: shareId })
    return erased.storage_id
  })
  const store = deps.files.find(storageId)
  if (store) {
    await store
      .remove(shareId)
      .then(() => deleteErased(deps.database.forScope(scopeOf(principal)), principal.account.id, shareId))
      .catch(deps.onFault)
  }
  return true
}
