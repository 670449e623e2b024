// The mails of shares.

import { isEmail } from '@patchbay/contract'
import { html } from '../http/index.ts'
import { cellParameter } from '../lib/cell.ts'
import { counted } from '../lib/counted.ts'
import type { MailContent } from '../mail/index.ts'
import type { ShareFile } from './content.ts'
import type { UploadFields } from './read-form.ts'

export const downloadPath = '/secure-share/secure-download'
export const defaultSubject = 'Files for you'

type Notice = {
  baseUrl: string
  shareId: string
  /** The code that was made for the link; null when the sender chose one, which the recipient gets in another way. */
  linkCode: string | null
  accountEmail: string
  files: readonly ShareFile[]
  expiresInDays: number
}

export function composeNotification(fields: UploadFields, notice: Notice): MailContent {
  const sender = fields.email ?? notice.accountEmail
  const link = `${notice.baseUrl}${downloadPath}?shareid=${notice.shareId}${notice.linkCode === null ? '' : `&code=${notice.linkCode}`}${cellParameter()}`
  const count = notice.files.length === 1 ? 'a file' : `${notice.files.length} files`
  const sentence = `${sender} has shared ${count} with you.`
  const howTo =
    notice.linkCode === null
      ? 'You need a code, which the sender will give you separately.'
      : 'Anyone with this link can open the files, so do not forward it.'
  const until = `The link works for ${counted(notice.expiresInDays, 'day')}.`
  const subject = fields.subject ?? defaultSubject
  return {
    to: [fields.notificationEmail],
    ...(fields.copy === undefined ? {} : { cc: [fields.copy] }),
    subject,
    fromName: `${sender} via Patchbay`,
    replyTo: isEmail(sender) ? sender : notice.accountEmail,
    text: `${sentence}\n\n${link}\n\n${howTo} ${until}\n`,
    ...(fields.bodyIsHtml === false
      ? {}
      : {
          // Nothing in it refers to a file of the service: a mail has no address that such a path could belong to.
          html: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body><p>${sentence}</p><p><a href="${link}">Open the share</a></p><p>${link}</p><p>${howTo} ${until}</p></body></html>`
            .text,
        }),
  }
}

export function composeLockNotice(accountEmail: string, shareId: string, notificationEmail: string): MailContent {
  return {
    to: [accountEmail],
    subject: 'A secure share was locked',
    text: `Somebody tried too many wrong codes on your share for ${notificationEmail}, so nobody can open it any more.\n\nShare: ${shareId}\n\nUpload the files again if they are still needed.\n`,
  }
}
