// Mails that users send: the endpoint and the scripts' email.send are the same thing.
import { attachmentBytesMax, type BodyOf, mailRecipientsMax, type Operations, operations } from '@patchbay/contract'
import { countMail } from '../activity/index.ts'
import { type Actor, recordAudit } from '../audit/index.ts'
import { type Database, type Scope, sql } from '../db/index.ts'
import { validator } from '../http/index.ts'
import { invalid } from '../lib/app-error.ts'
import type { JsonText } from '../lib/json-text.ts'
import type { StorageLedger } from '../storage/index.ts'
import { encodeInTurn } from './attachment.ts'
import type { MailContent } from './mail-content.ts'
import type { Outbox } from './outbox.ts'

/** A large attachment is still JSON. */
export type ProxyEmailBody = Omit<BodyOf<Operations['ApiProxyEmail']>, 'attachment'> & {
  attachment?: string | JsonText
}

export type EmailDeps = { database: Database; outbox: Outbox; ledger: Pick<StorageLedger, 'requireRoom'> }

/** For scripts: whatever they pass is checked as a request body would be. Refusals are AppErrors with the sentences of the endpoint. */
export type EmailSender = { send(scope: Scope, message: unknown): Promise<{ Success: true }> }

export type Sender = { scope: Scope; email: string; actor: Actor }

export function createEmailSender(deps: EmailDeps): EmailSender {
  const check = validator(operations.ApiProxyEmail.body, 'body')
  return {
    async send(scope, message) {
      const body = check(message) as ProxyEmailBody
      const { rows } = await deps.database
        .forScope(scope)
        .query<{ email: string }>(sql`select email from accounts where id = ${scope.accountId}`)
      const actor = { ...scope, managedAccountId: null, keyId: null, address: null }
      return sendEmail(deps, { scope, email: rows[0]?.email ?? '', actor }, body)
    },
  }
}

/** The mail is in the outbox, durably, when this returns. */
export async function sendEmail(deps: EmailDeps, sender: Sender, body: ProxyEmailBody): Promise<{ Success: true }> {
  deps.ledger.requireRoom(sender.scope.accountId)
  const content = await composeEmail(body, sender.email, sender.scope.accountId)
  await deps.database.forScope(sender.scope).transaction(async (tx) => {
    const id = await deps.outbox.enqueue(tx, sender.scope.accountId, content)
    await Promise.all([
      recordAudit(tx, sender.actor, {
        action: 'mail.accepted',
        target: id,
        details: { recipients: countRecipients(content) },
      }),
      countMail(tx, sender.scope.accountId),
    ])
  })
  return { Success: true }
}

/** `owner` is whose turn it is, where the attachment is large. */
export async function composeEmail(body: ProxyEmailBody, accountEmail: string, owner: string): Promise<MailContent> {
  const to = [...(body.to ?? []), ...(body.toAccountEmail ? [accountEmail] : [])]
  if (to.length === 0)
    throw invalid('The field to is required, with at least one address, unless toAccountEmail is true.')
  const attachment = await readAttachment(body, owner)
  const content: MailContent = {
    to,
    subject: body.subject,
    replyTo: accountEmail,
    ...(body.cc ? { cc: body.cc } : {}),
    ...(body.bcc ? { bcc: body.bcc } : {}),
    ...(body.bodyIsHtml ? { html: body.body } : { text: body.body }),
    ...(attachment ? { attachments: [attachment] } : {}),
  }
  if (countRecipients(content) > mailRecipientsMax)
    throw invalid(
      `An e-mail can have at most ${mailRecipientsMax} recipients, counting to, cc, bcc and the account's own address.`,
    )
  return content
}

function countRecipients({ to, cc = [], bcc = [] }: MailContent): number {
  return to.length + cc.length + bcc.length
}

type Attachment = NonNullable<MailContent['attachments']>[number]

async function readAttachment(body: ProxyEmailBody, owner: string): Promise<Attachment | undefined> {
  if (body.attachment === undefined) {
    const alone = (['attachmentName', 'attachmentEncoding', 'attachmentContentType'] as const).find(
      (name) => body[name] !== undefined,
    )
    if (alone) throw invalid(`The field ${alone} needs the field attachment.`)
    return undefined
  }
  if (/^multipart\//i.test(body.attachmentContentType ?? ''))
    throw invalid('The field attachmentContentType must not be a multipart type.')
  const encoding = body.attachmentEncoding ?? 'base64'
  const encoded = await encodeInTurn(owner, { text: body.attachment, encoding })
  if (!encoded) throw invalid(`The field attachment is not valid ${encoding}.`)
  if (encoded.bytes > attachmentBytesMax)
    throw invalid(`The field attachment is larger than ${attachmentBytesMax / 1024 / 1024} MiB.`)
  return {
    filename: body.attachmentName ?? 'attachment',
    contentBase64: encoded.contentBase64,
    ...(body.attachmentContentType === undefined ? {} : { contentType: body.attachmentContentType }),
  }
}
