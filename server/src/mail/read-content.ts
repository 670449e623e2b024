// The stored content of a mail, read here or in a thread.
import type { MailContent } from './mail-content.ts'

/** What is handed to a mail server. */
export type ReadMail = {
  content: Omit<MailContent, 'attachments'>
  attachments: { filename: string; contentType?: string; bytes: Uint8Array }[]
}

export function readContent(plain: Uint8Array): ReadMail {
  const { attachments = [], ...content } = JSON.parse(new TextDecoder().decode(plain)) as MailContent
  return {
    content,
    attachments: attachments.map(({ contentBase64, ...other }) => ({
      ...other,
      bytes: Buffer.from(contentBase64 as string, 'base64'),
    })),
  }
}
