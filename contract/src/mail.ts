import { Type } from 'typebox'
import { Email } from './accounts.ts'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, Size } from './paging.ts'

/** Recipients of one mail, to, cc and bcc together. */
export const mailRecipientsMax = 50
/** Bytes of an attachment, decoded. */
export const attachmentBytesMax = 25 * 1024 * 1024

const Recipients = Type.Array(Email, { maxItems: mailRecipientsMax })

// No line break and no other control character gets into a header: that is how mails are forged.
const headerText = '^[^\\u0000-\\u001f\\u007f]*$'

export const ProxyEmail = Type.Object(
  {
    subject: Type.String({ minLength: 1, maxLength: 900, pattern: headerText, title: 'single line of text' }),
    to: Type.Optional({ ...Recipients, description: 'Required unless toAccountEmail is true.' }),
    cc: Type.Optional(Recipients),
    bcc: Type.Optional(Recipients),
    body: Type.String({ maxLength: 10_000_000 }),
    bodyIsHtml: Type.Optional(Type.Boolean({ default: false })),
    attachmentName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: headerText, title: 'single line of text' }),
    ),
    attachment: Type.Optional(Type.String({ description: 'The content, encoded as attachmentEncoding says.' })),
    attachmentEncoding: Type.Optional(
      Type.Enum(['base64', 'base64url', 'hex', 'utf8'], { default: 'base64', description: 'utf8 is the text itself.' }),
    ),
    attachmentContentType: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern:
          '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+( *; *[\\w!#$&^.+-]+=("[^"\\\\\\u0000-\\u001f\\u007f]*"|[\\w!#$&^.+-]+))*$',
        title: 'MIME type',
      }),
    ),
    toAccountEmail: Type.Optional(
      Type.Boolean({ default: false, description: 'Also send to the address of the account.' }),
    ),
  },
  { additionalProperties: false },
)

export const sendProxyEmail = operation({
  name: 'ApiProxyEmail',
  feature: 'Mail',
  method: 'POST',
  path: '/api/ApiProxyEmail',
  description: 'Send an e-mail. It is kept in the outbox until a mail server accepts it.',
  changesState: true,
  audit: 'mail.accepted',
  body: ProxyEmail,
  bodyBytesMax: 64 * 1024 * 1024,
  largeText: 'attachment',
  answers: { 200: Type.Object({ Success: Type.Boolean() }) },
  refusalField: 'Error',
  refuses: ['storage_full'],
  example: {
    body: { subject: "Today's orders", to: ['anna@example.com'], body: '<p>12 orders</p>', bodyIsHtml: true },
    answer: { Success: true },
  },
})

export const mailStatuses = ['Held', 'Queued', 'Sent', 'Failed'] as const

export const MailListApiDto = Type.Object(
  {
    id: { ...Guid, description: 'Id of the e-mail; also the left part of its Message-ID.' },
    accountId: { ...Guid, description: 'Account that the e-mail was sent for.' },
    status: Type.Enum([...mailStatuses], {
      description: 'Held until a mail server is configured; Queued; Sent; Failed after the last try.',
    }),
    subject: Type.String({ description: 'Subject.' }),
    recipients: Type.Array(Type.String(), { description: 'Every recipient: to, cc and bcc.' }),
    attempts: Type.Integer({ description: 'Number of delivery attempts.' }),
    errorMessage: Type.Union([Type.String(), Type.Null()], {
      description: 'The last error from the mail server, if any.',
    }),
    createDateTimeUTC: { ...Timestamp, description: 'When it was put into the outbox.' },
    sentDateTimeUTC: Type.Union([Timestamp, Type.Null()], { description: 'When a mail server accepted it.' }),
  },
  { description: 'An e-mail in the outbox, without its content.' },
)

export const getOutbox = operation({
  name: 'GetOutbox',
  feature: 'Mail',
  method: 'POST',
  path: '/api/GetOutbox',
  description: 'The e-mails of the account, newest first; of the whole organization for a Manager who asks for it.',
  body: Type.Object(
    {
      page: Type.Optional(Page),
      size: Type.Optional(Size),
      status: Type.Optional(Type.Array(Type.Enum([...mailStatuses]), { maxItems: 10 })),
      searchFrom: Type.Optional(Timestamp),
      searchTo: Type.Optional(Timestamp),
      allAccounts: Type.Optional(
        Type.Boolean({ default: false, description: 'E-mails of every account of the organization; needs Manager.' }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Type.Object({ items: Type.Array(MailListApiDto), total: Type.Integer() }) },
  refuses: ['role_too_low'],
  example: { body: { page: 0, size: 50, status: ['Held'] } },
})
