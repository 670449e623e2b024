// Links that work once: to activate an account, to set a password, to sign in for the first time.
import type { Queryable } from '../db/index.ts'
import { hashToken, newRoutedToken } from '../lib/token.ts'
import { insertLink, type LinkPurpose } from './store.ts'

/** An invitation waits for a person. Whoever forgot a password is there. */
export const invitationHours = 7 * 24
export const forgottenHours = 1

export type NewLink = { baseUrl: string; accountId: string; purpose: LinkPurpose; hours: number }

/** The link itself is known at once; `stored` settles when its row is written. Who needs no answer need not wait for it. */
export function createLink(tx: Queryable, link: NewLink): { url: string; stored: Promise<void> } {
  const token = newRoutedToken('pbl')
  const path = link.purpose === 'activate' ? 'activate' : 'set-password'
  return {
    url: `${link.baseUrl}/${path}?token=${token}`,
    stored: insertLink(tx, { ...link, tokenHash: hashToken(token) }),
  }
}
