// Sends what waits in the outbox. A mail may arrive twice if a process dies between the server's "accepted" and our note of it;
// its Message-ID is the same both times, which is what receiving systems compare.
import { createTransport } from 'nodemailer'
import type { Database } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { type JobQueue, JobWorker } from '../queue/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { mailPlace, mailQueue } from './outbox.ts'
import { deleteOverMails, findWaitingMail, markSent, markTried, releaseHeld } from './store.ts'
import { readInTurn, streamOf } from './stored-mail.ts'
import { isTlsFailure } from './tls-failure.ts'

export const mailRetries = 8
const sweepMs = 10_000
const retentionDays = 30
/** Mails at once. Those of one account take at most half of the connections. */
const atOnce = 4
const perAccount = 2

type Deps = {
  database: Database
  keyRing: KeyRing
  jobs: JobQueue
  smtpUrl: string
  from: string
  onFault: (error: unknown) => void
}

export class Mailer implements AsyncDisposable {
  readonly #deps: Deps
  readonly #transport: ReturnType<typeof createTransport>
  readonly #sweeping: Recurring
  readonly #sending: JobWorker<{ mailId: string }>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#sweeping = new Recurring(() => this.#sweep(), { pauseMs: sweepMs, onFault: deps.onFault })
    this.#transport = createTransport({
      url: deps.smtpUrl,
      pool: true,
      maxConnections: atOnce,
      // Our queue tries again, with the whole content: a stream can be read only once.
      maxRequeues: 0,
      connectionTimeout: 10_000,
      socketTimeout: 60_000,
    } as never)
    this.#sending = new JobWorker({
      ...deps,
      queue: mailQueue,
      atOnce,
      perAccount,
      work: ({ data, attempt }) => this.#send(data.mailId, attempt >= mailRetries),
    })
  }

  start(): void {
    this.#sending.start()
    this.#sweeping.startNow()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
    await this.#sending[Symbol.asyncDispose]()
    this.#transport.close()
  }

  /** Held mails come from processes without SMTP, and from the time before it was configured. */
  async #sweep(): Promise<void> {
    await this.#deps.database.system.transaction(async (tx) => {
      const released = await releaseHeld(tx, 500)
      const jobs = released.map(({ id, accountId }) => ({ data: { mailId: id }, groupId: accountId }))
      if (jobs.length > 0) await this.#deps.jobs.sendMany(tx, mailQueue, jobs)
    })
    await deleteOverMails(this.#deps.database, retentionDays, 500)
  }

  async #send(mailId: string, isLastTry: boolean): Promise<void> {
    const { database, keyRing } = this.#deps
    const mail = await findWaitingMail(database, mailId)
    if (!mail) return
    let refusals: string | null = null
    try {
      const plain = await keyRing.open(mailPlace(mail.id, mail.accountId), mail.sealedContent)
      const { content, attachments } = await readInTurn(mail.accountId, plain)
      const { fromName, ...rest } = content
      const sent = await this.#transport.sendMail({
        from: senderOf(this.#deps.from, fromName),
        ...rest,
        messageId: `<${mail.id}@patchbay>`,
        attachments: attachments.map(({ bytes, ...attachment }) => ({ ...attachment, content: streamOf(bytes) })),
        // Nothing in a mail may make the service read files or fetch addresses.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      // Refused for all is a failure; refused for some is told, and not sent to the others a second time.
      if (sent.rejected.length > 0)
        refusals = `The mail server refused these recipients: ${sent.rejected.map(addressOf).join(', ')}.`
    } catch (error) {
      await markTried(database, mail.id, explain(error as Error).replaceAll('\0', ''), isLastTry)
      // The last failure is recorded in the outbox; before that, the queue tries again.
      if (!isLastTry) throw error
      return
    }
    await markSent(database, mail.id, refusals)
  }
}

/** What is read by whoever wonders why a mail does not arrive. */
function explain(error: Error): string {
  if (!isTlsFailure(error)) return error.message
  return `The mail server offers no TLS that can be trusted: ${error.message}. Trust its authority with NODE_EXTRA_CA_CERTS, or accept any certificate with ?tls.rejectUnauthorized=false in PATCHBAY_SMTP_URL.`
}

function senderOf(configured: string, name: string | undefined): string | { name: string; address: string } {
  if (name === undefined) return configured
  return { name, address: /<([^<>]+)>\s*$/.exec(configured)?.[1] ?? configured }
}

function addressOf(recipient: string | { address: string }): string {
  return typeof recipient === 'string' ? recipient : recipient.address
}
