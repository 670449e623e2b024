import { html } from '../../http/index.ts'
import type { MailContent } from '../../mail/index.ts'

export const approvalPath = '/approval'

type Request = { title: string; message: string | null; timeoutAt: Date; accountEmail: string; workflowName: string }

/** One for each address: the link in it is that address's own. */
export function composeApprovalMail(
  { title, message, timeoutAt, accountEmail, workflowName }: Request,
  to: string,
  link: string,
): MailContent {
  const asked = `The workflow "${workflowName}" of ${accountEmail} waits for your decision.`
  const until = `You can decide until ${minuteOf(timeoutAt)}. This link is yours: whoever has it decides in your name.`
  return {
    to: [to],
    subject: title,
    fromName: `${accountEmail} via Patchbay`,
    replyTo: accountEmail,
    text: [asked, title, ...(message === null ? [] : [message]), `Approve or reject:\n${link}`, until, ''].join('\n\n'),
    html: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><p>${asked}</p><p><strong>${title}</strong></p>${message === null ? html`` : html`<p style="white-space: pre-line">${message}</p>`}
<p><a href="${link}">Approve or reject</a></p><p>${link}</p><p>${until}</p></body></html>`.text,
  }
}

export function minuteOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
