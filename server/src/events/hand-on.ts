/**
 * Hands on what happened, on workers: to subscriptions as deliveries, and to people as mails.
 *
 *   published ─► delivered (rows for those who subscribed) ─► mailed, at once or together with others of its kind ─► gone
 *
 * Who is told is decided here and not where it happened, so that the transaction that ends a run stays short and needs to see no other
 * account than its own.
 */
import type { Database, Tx } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import type { Outbox } from '../mail/index.ts'
import {
  insertDeliveries,
  isGathered,
  listRecipients,
  type MailedEvent,
  markDelivered,
  markMailed,
  subjectOfSeveral,
  takeMails,
  takeUndelivered,
} from './event-store.ts'
import type { EventPublisher } from './publish.ts'

export type HandOnDeps = {
  database: Database
  outbox: Outbox
  events: Pick<EventPublisher, 'onPublished'>
  /** Within the transaction that hands them on. */
  onHandingOn(tx: Tx, eventIds: readonly string[]): Promise<void>
  /** There is something new to deliver. */
  onDeliveries(): void
  onFault(error: unknown): void
}

const lookMs = 1000
const eventsAtOnce = 200
/** Of what is told together, so many are named. */
const namedMax = 20

export class EventHandOn implements AsyncDisposable {
  readonly #deps: HandOnDeps
  readonly #looking: Recurring
  #isHanding = false
  #isWanted = false

  constructor(deps: HandOnDeps) {
    this.#deps = deps
    this.#looking = new Recurring(() => this.#look(), { pauseMs: lookMs, onFault: deps.onFault })
  }

  start(): void {
    this.#deps.events.onPublished(() => void this.#look().catch(this.#deps.onFault))
    this.#looking.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#deps.events.onPublished(() => {})
    await this.#looking[Symbol.asyncDispose]()
  }

  /** One at a time in a process; who comes meanwhile has it looked once more. */
  async #look(): Promise<void> {
    this.#isWanted = true
    if (this.#isHanding) return
    this.#isHanding = true
    try {
      while (this.#isWanted && !this.#looking.isStopping) {
        this.#isWanted = false
        while ((await this.#deliver()) === eventsAtOnce);
        while ((await this.#mail()) >= eventsAtOnce);
      }
    } finally {
      this.#isHanding = false
    }
  }

  #deliver(): Promise<number> {
    return this.#deps.database.system.transaction(async (tx) => {
      const ids = await takeUndelivered(tx, eventsAtOnce)
      if (ids.length === 0) return 0
      await insertDeliveries(tx, ids)
      await this.#deps.onHandingOn(tx, ids)
      await markDelivered(tx, ids)
      tx.afterCommit(() => this.#deps.onDeliveries())
      return ids.length
    })
  }

  #mail(): Promise<number> {
    return this.#deps.database.system.transaction(async (tx) => {
      const mailed = await takeMails(tx, eventsAtOnce)
      if (mailed.length === 0) return 0
      const together = Map.groupBy(mailed, ({ id, accountId, type }) =>
        isGathered(type) ? `${accountId} ${type}` : id,
      )
      for (const events of together.values()) await mailAll(this.#deps.outbox, tx, events)
      await markMailed(
        tx,
        mailed.map(({ id }) => id),
      )
      return together.size
    })
  }
}

async function mailAll(outbox: Outbox, tx: Tx, events: readonly MailedEvent[]): Promise<void> {
  const first = events[0]
  if (!first) return
  for (const { accountId, email, isOwner, ownerEmail } of await listRecipients(tx, first.accountId)) {
    const wanted = isOwner ? events.filter(({ mailsOwner }) => mailsOwner) : events
    if (wanted.length === 0) continue
    const { subject, text } = inOneMail(wanted)
    await outbox.enqueue(tx, accountId, {
      to: [email],
      subject: isOwner ? subject : `${subject} (${ownerEmail})`,
      text: isOwner ? text : `Account: ${ownerEmail}\n\n${text}`,
    })
  }
}

function inOneMail(events: readonly MailedEvent[]): { subject: string; text: string } {
  const [first] = events
  if (!first || events.length === 1) return { subject: first?.subject ?? '', text: first?.text ?? '' }
  const named = events.slice(0, namedMax).map(({ text }) => text)
  const others = events.length - named.length
  return {
    subject: subjectOfSeveral(first.type, events.length) ?? first.subject,
    text: [...named, ...(others > 0 ? [`And ${others} more.`] : [])].join('\n\n————\n\n'),
  }
}
