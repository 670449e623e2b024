export { Mailer, mailRetries } from './mailer.ts'
export { createOutbox, type MailContent, mailQueue, type Outbox } from './outbox.ts'
