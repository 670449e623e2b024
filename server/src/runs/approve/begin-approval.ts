// A run asks people: the approval, the links and the mails with them are written together.
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import { newId } from '../../lib/id.ts'
import { hashToken, isWellFormedToken, newRoutedToken } from '../../lib/token.ts'
import type { Outbox } from '../../mail/index.ts'
import { approvalPath, composeApprovalMail } from './approval-mail.ts'
import { findLink, insertApproval, insertLinks, type NewApproval } from './approval-store.ts'

export type AskDeps = { outbox: Outbox; baseUrl(): string }

const prefix = 'pba'

export async function askForApproval(deps: AskDeps, tx: Tx, asked: Omit<NewApproval, 'id'>): Promise<void> {
  const approval = { ...asked, id: newId() }
  const links = approval.to.map((email) => ({ email, token: newRoutedToken(prefix) }))
  await insertApproval(tx, approval)
  await insertLinks(
    tx,
    approval,
    links.map(({ email, token }) => ({ email, tokenHash: hashToken(token) })),
  )
  const told = { ...approval, ...(await findSender(tx, approval)) }
  for (const { email, token } of links) {
    const link = `${deps.baseUrl()}${approvalPath}?token=${token}`
    await deps.outbox.enqueue(tx, approval.accountId, composeApprovalMail(told, email, link))
  }
}

async function findSender(tx: Queryable, { accountId, workflowId }: Pick<NewApproval, 'accountId' | 'workflowId'>) {
  const { rows } = await tx.query<{ email: string; name: string }>(sql`
    select a.email, w.name from accounts a join workflows w on w.account_id = a.id where a.id = ${accountId} and w.id = ${workflowId}`)
  return { accountEmail: rows[0]?.email ?? '', workflowName: rows[0]?.name ?? '' }
}

/** Whose link it is; undefined for a token that is wrong. */
export async function openLink(db: Queryable, token: string) {
  return isWellFormedToken(prefix, token) ? findLink(db, hashToken(token)) : undefined
}
