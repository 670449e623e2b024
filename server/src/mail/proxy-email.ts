// Mails that users send: the endpoint and the scripts' email.send are the same thing.
import { attachmentBytesMax, type BodyOf, mailRecipientsMax, type Operations, operations } from '@patchbay/contract'
import { countMail } from '../activity/index.ts'
import { type Actor, recordAudit } from '../audit/index.ts'
import { type Database, type Scope, sql } from '../db/index.ts'
import { validator } from '../http/index.ts'
import { invalid } from '../lib/app-error.ts'
import type { MailContent, Outbox } from './outbox.ts'

export type ProxyEmailBody = BodyOf<Operations['ApiProxyEmail']>

export type EmailDeps = { database: Database; outbox: Outbox }

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
  const content = composeEmail(body, sender.email)
  await deps.database.forScope(sender.scope).transaction(async (tx) => {
    const id = await deps.outbox.enqueue(tx, sender.scope.accountId, content)
    await Promise.all([
      recordAudit(tx, sender.actor, 'mail.accepted', id, { recipients: countRecipients(content) }),
      countMail(tx, sender.scope.accountId),
    ])
  })
  return { Success: true }
}

export function composeEmail(body: ProxyEmailBody, accountEmail: string): MailContent {
  const to = [...(body.to ?? []), ...(body.toAccountEmail ? [accountEmail] : [])]
  if (to.length === 0)
    throw invalid('The field to is required, with at least one address, unless toAccountEmail is true.')
  const attachment = readAttachment(body)
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
    throw invalid(`A mail has at most ${mailRecipientsMax} recipients; to, cc and bcc together have more.`)
  return content
}

function countRecipients({ to, cc = [], bcc = [] }: MailContent): number {
  return to.length + cc.length + bcc.length
}

const alphabets = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/, hex: /^([0-9A-Fa-f]{2})*$/ }

function readAttachment(body: ProxyEmailBody): NonNullable<MailContent['attachments']>[number] | undefined {
  if (body.attachment === undefined) {
    const alone = (['attachmentName', 'attachmentEncoding', 'attachmentContentType'] as const).find(
      (name) => body[name] !== undefined,
    )
    if (alone) throw invalid(`The field ${alone} needs the field attachment.`)
    return undefined
  }
  if (/^multipart\//i.test(body.attachmentContentType ?? ''))
    throw invalid('The field attachmentContentType must not be a multipart type.')
  const bytes = decode(body.attachment, body.attachmentEncoding ?? 'base64')
  if (bytes.length > attachmentBytesMax)
    throw invalid(`The field attachment holds more than ${attachmentBytesMax / 1024 / 1024} MiB.`)
  return {
    filename: body.attachmentName ?? 'attachment',
    contentBase64: bytes.toString('base64'),
    ...(body.attachmentContentType === undefined ? {} : { contentType: body.attachmentContentType }),
  }
}

function decode(text: string, encoding: NonNullable<ProxyEmailBody['attachmentEncoding']>): Buffer {
  if (encoding === 'utf8') return Buffer.from(text)
  // Base64 is often broken into lines. Buffer.from would skip over everything else that does not belong, and lose content unseen.
  const compact = text.replaceAll(/[\r\n\t ]/g, '')
  const lacksPart = encoding !== 'hex' && compact.replace(/=+$/, '').length % 4 === 1
  if (!alphabets[encoding].test(compact) || lacksPart) throw invalid(`The field attachment is not valid ${encoding}.`)
  return Buffer.from(compact, encoding)
}
