import { BackupError } from './backup-error.ts'
import { type Header, openBackupFile } from './backup-file.ts'
import type { Manifest } from './database-shape.ts'
import { type Head, readSections } from './sections.ts'

export type BackupSummary = {
  header: Header
  manifest: Manifest
  end: Head & { kind: 'end' }
}

/** Reads a backup to its end: when this returns, every byte of it is genuine. */
export async function verifyBackup(path: string, passphrase: string | undefined): Promise<BackupSummary> {
  const { header, content } = await openBackupFile(path, passphrase)
  let manifest: Manifest | undefined
  let end: (Head & { kind: 'end' }) | undefined
  const counts = { tables: 0, shares: 0, bytes: 0 }
  for await (const { head, data } of readSections(content)) {
    if (head.kind === 'manifest') manifest = head.manifest
    if (head.kind === 'table') counts.tables++
    if (head.kind === 'share') counts.shares++
    if (head.kind === 'end') end = head
    for await (const chunk of data) counts.bytes += chunk.length
  }
  const isWhole = end?.tables === counts.tables && end.shares === counts.shares && end.bytes === counts.bytes
  if (!manifest || !end || !isWhole) throw new BackupError('The backup is damaged or incomplete. Nothing was changed.')
  return { header, manifest, end }
}
