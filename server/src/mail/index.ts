export { Mailer, mailRetries } from './mailer.ts'
export { createOutbox, type MailContent, mailQueue, type Outbox } from './outbox.ts'
export { createEmailSender, type EmailSender } from './proxy-email.ts'
export { mailRoutes } from './routes.ts'
