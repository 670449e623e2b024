// Opening a share with a code. Unknown, expired, locked, taken back and wrong code are one and the same outcome, and take the same time.
import { isGuid, wrongCodesMax } from '@patchbay/contract'
import { type Actor, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import type { Outbox } from '../mail/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { keyPlace, openContent, type ShareContent } from './content.ts'
import { composeLockNotice } from './notification.ts'
import { deriveCodeKey, unwrapDataKey } from './share-key.ts'
import { type AttemptedShare, beginAttempt, countDownload, lockShare, takeBackAttempt } from './store.ts'
import type { Turnstile } from './turnstile.ts'

export type OpenDeps = { database: Database; keyRing: KeyRing; outbox: Outbox; turnstile: Turnstile }

export type OpenedShare = {
  id: string
  accountId: string
  organizationId: string
  storageId: string
  dataKey: Buffer
  content: ShareContent
  expiresAt: Date
}

const noSalt = Buffer.alloc(16)
const codeCharactersMax = 200

export async function openShare(
  deps: OpenDeps,
  shareId: string,
  code: string,
  address: string,
): Promise<OpenedShare | undefined> {
  // The attempt is counted inside: while others wait to be checked, they do not count as wrong.
  return deps.turnstile.pass(address, async () => {
    const share = isGuid(shareId) ? await beginAttempt(deps.database.system, shareId) : undefined
    const codeKey = await deriveCodeKey(code.slice(0, codeCharactersMax + 1), share?.code_salt ?? noSalt)
    if (!share) return undefined
    const wrapped = await deps.keyRing.open(keyPlace(share.account_id, share.id), share.sealed_key)
    const dataKey = unwrapDataKey(wrapped, codeKey, share.id)
    if (!dataKey) {
      if (share.wrong_codes >= wrongCodesMax) await lock(deps, share, address)
      return undefined
    }
    await takeBackAttempt(deps.database.system, share.id)
    return {
      id: share.id,
      accountId: share.account_id,
      organizationId: share.organization_id,
      storageId: share.storage_id,
      dataKey,
      content: await openContent(deps.keyRing, share.account_id, share.id, share.sealed_content),
      expiresAt: share.expires_at,
    }
  })
}

export async function recordDownload(
  deps: OpenDeps,
  share: OpenedShare,
  index: number,
  address: string,
): Promise<void> {
  await deps.database.system.transaction(async (tx) => {
    await Promise.all([
      countDownload(tx, share.id),
      recordAudit(tx, visitor(share.organizationId, address), {
        action: 'share.downloaded',
        target: share.id,
        details: { file: index },
      }),
    ])
  })
}

async function lock(deps: OpenDeps, share: AttemptedShare, address: string): Promise<void> {
  const content = await openContent(deps.keyRing, share.account_id, share.id, share.sealed_content)
  await deps.database.system.transaction(async (tx) => {
    if (!(await lockShare(tx, share.id))) return
    await Promise.all([
      deps.outbox.enqueue(
        tx,
        share.account_id,
        composeLockNotice(share.account_email, share.id, content.notificationEmail),
      ),
      recordAudit(tx, visitor(share.organization_id, address), { action: 'share.locked', target: share.id }),
    ])
  })
}

function visitor(organizationId: string, address: string): Actor {
  return { organizationId, accountId: null, managedAccountId: null, keyId: null, address }
}
