// Links that work once: to activate an account, to set a password, to sign in for the first time.
import { createHash } from 'node:crypto'
import type { Queryable } from '../db/index.ts'
import { newToken } from '../lib/token.ts'
import { insertLink, type LinkPurpose } from './store.ts'

const linkDays = 7

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export async function createLink(
  tx: Queryable,
  baseUrl: string,
  accountId: string,
  purpose: LinkPurpose,
): Promise<string> {
  const token = newToken('pbl')
  const path = purpose === 'activate' ? 'activate' : 'set-password'
  await insertLink(tx, accountId, purpose, hashToken(token), linkDays)
  return `${baseUrl}/${path}?token=${token}`
}
