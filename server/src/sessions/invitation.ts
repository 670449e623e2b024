// The mail that lets a person into an account for the first time.
import type { Tx } from '../db/index.ts'
import type { Outbox } from '../mail/index.ts'
import { createLink, invitationHours } from './link.ts'
import { deleteLinks } from './store.ts'

export type InviteDeps = { outbox: Outbox; baseUrl: () => string }
export type Invited = { id: string; email: string; firstName: string; isActive: boolean }

/** `dataKey` is for an account whose key is not in the database yet. Nothing here waits for an answer of the database before it goes on. */
export async function sendInvitation(
  deps: InviteDeps,
  tx: Tx,
  to: Invited,
  dataKey?: Parameters<Outbox['enqueue']>[3],
): Promise<void> {
  const purpose = to.isActive ? 'setPassword' : 'activate'
  const link = createLink(tx, { baseUrl: deps.baseUrl(), accountId: to.id, purpose, hours: invitationHours })
  const asks = to.isActive ? 'Set a password to sign in' : 'Activate it and set a password'
  const mail = {
    to: [to.email],
    subject: to.isActive ? 'Your Patchbay account' : 'Activate your Patchbay account',
    text: `Hello ${to.firstName},\n\nYou have a new Patchbay account. ${asks}:\n\n${link.url}\n\nThe link works once and expires in seven days.\n`,
  }
  await Promise.all([link.stored, deps.outbox.enqueue(tx, to.id, mail, dataKey)])
}

/** Links that were mailed before stop working. */
export async function resendInvitation(deps: InviteDeps, tx: Tx, to: Invited): Promise<void> {
  await deleteLinks(tx, to.id, 'activate')
  await sendInvitation(deps, tx, to)
}
