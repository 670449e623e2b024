// Links that work once: to activate an account, to set a password, to sign in for the first time.
import { createHash } from 'node:crypto'
import type { Queryable } from '../db/index.ts'
import { newToken } from '../lib/token.ts'
import { insertLink, type LinkPurpose } from './store.ts'

const linkDays = 7

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The link itself is known at once; `stored` settles when its row is written. Who needs no answer need not wait for it. */
export function createLink(
  tx: Queryable,
  baseUrl: string,
  accountId: string,
  purpose: LinkPurpose,
): { url: string; stored: Promise<void> } {
  const token = newToken('pbl')
  const path = purpose === 'activate' ? 'activate' : 'set-password'
  return {
    url: `${baseUrl}/${path}?token=${token}`,
    stored: insertLink(tx, accountId, purpose, hashToken(token), linkDays),
  }
}
