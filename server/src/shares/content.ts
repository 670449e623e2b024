import type { KeyRing, Place } from '../secrets/index.ts'

/** What a share holds beside its files. Sealed as one value: names and addresses tell as much as files do. */
export type ShareContent = {
  files: ShareFile[]
  notificationEmail: string
  copy: string | null
  subject: string
  note: string | null
}

export type ShareFile = { id: string; name: string; contentType: string; bytes: number }

export async function sealContent(
  keyRing: KeyRing,
  accountId: string,
  shareId: string,
  content: ShareContent,
): Promise<Buffer> {
  return keyRing.seal(contentPlace(accountId, shareId), Buffer.from(JSON.stringify(content)))
}

export async function openContent(
  keyRing: KeyRing,
  accountId: string,
  shareId: string,
  sealed: Buffer,
): Promise<ShareContent> {
  return JSON.parse((await keyRing.open(contentPlace(accountId, shareId), sealed)).toString())
}

export function keyPlace(accountId: string, shareId: string): Place {
  return { table: 'shares', column: 'sealed_key', rowId: shareId, accountId }
}

function contentPlace(accountId: string, shareId: string): Place {
  return { table: 'shares', column: 'sealed_content', rowId: shareId, accountId }
}
