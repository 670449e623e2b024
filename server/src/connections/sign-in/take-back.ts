// A person opened an authorization address, gave access, and sees on the page that an account got it which is not meant.
import { recordAudit } from '../../audit/index.ts'
import { type Database, sql, type Tx } from '../../db/index.ts'
import { html, type Page, page } from '../../http/index.ts'
import type { Outbox } from '../../mail/index.ts'
import type { OpenedConnections } from '../credentials/opened-connection.ts'
import type { Faults } from '../faults/faults.ts'
import { findConnection, type StoredConnection } from '../store.ts'
import { replaceTokens } from '../tokens/token-store.ts'
import { redeemTakeBackToken, type TakenBack } from './take-back-link.ts'

export type TakeBackDeps = { database: Database; opened: OpenedConnections; faults: Faults; outbox: Outbox }

const faultMessage = 'The person who granted access has revoked it.'

export function takeBackPage(deps: TakeBackDeps): Page {
  return {
    method: 'POST',
    path: '/oauth/take-back',
    render: async ({ form, exchange }) => {
      const done = await takeBack(deps, form['token'] ?? '', exchange.address)
      const words = done
        ? html`<p>Patchbay has deleted the access to ${done.name}. To remove it at the provider too, look for connected apps in your settings there.</p>`
        : html`<p class="bad" role="alert">Access can be revoked once, within 30 minutes. It was already revoked, or the time is over. Ask the owner of the account, or remove access in your settings at the provider.</p>`
      return { status: done ? 200 : 404, html: page(done ? 'Access revoked' : 'Nothing to revoke', words) }
    },
  }
}

/** The instance, or undefined when there is nothing to take back. */
async function takeBack(deps: TakeBackDeps, token: string, address: string): Promise<StoredConnection | undefined> {
  const taken = await deps.database.system.transaction(async (tx) => {
    const link = await redeemTakeBackToken(tx, token)
    const connection = link?.isCurrent ? await findConnection(tx, link.accountId, link.regApplicationId) : undefined
    if (!link || !connection) return undefined
    await replaceTokens(tx, link.accountId, connection.id, undefined)
    await markTaken(tx, link)
    const { organizationId, accountId } = link
    const actor = { organizationId, accountId: null, managedAccountId: accountId, keyId: null, address }
    await recordAudit(tx, actor, {
      action: 'registeredApplication.takenBack',
      target: connection.id,
      details: { shortName: connection.shortName },
    })
    await deps.outbox.enqueue(tx, accountId, {
      to: [link.email],
      subject: `Access to ${connection.shortName} was revoked`,
      text: `The person who granted Patchbay access to ${connection.name} has revoked it.\n\nWorkflows that use this connection cannot run until it is connected again.\n`,
    })
    if (link.wasAuthenticated && connection.faultMessage === null)
      await deps.faults.tell(tx, accountId, { connection, message: faultMessage, isMailed: false })
    return { link, connection }
  })
  if (!taken) return undefined
  const { link, connection } = taken
  deps.opened.forget({ scope: { organizationId: link.organizationId, accountId: link.accountId }, connection })
  return connection
}

/** An instance that worked before is faulted, so that its workflows wait; a new one is again as if nobody had signed in. */
async function markTaken(tx: Tx, { accountId, regApplicationId, wasAuthenticated }: TakenBack): Promise<void> {
  const fault = wasAuthenticated ? faultMessage : null
  await tx.query(sql`
    update registered_applications set is_authenticated = ${wasAuthenticated}, fault_message = ${fault},
      fault_source = ${wasAuthenticated ? 'token' : null}, faulted_at = case when ${wasAuthenticated} then now() end,
      next_check_at = null, modified_at = now()
    where account_id = ${accountId} and id = ${regApplicationId}`)
}
