/**
 * The open streams of one process. Events are read once for all of them and handed to those who may see them:
 *
 *   opened ─► catching up (only with Last-Event-ID) ─► live ─► closed by the reader, by its slowness, by lost rights, or by our stop
 */
import type { Database } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import { Recurring } from '../lib/recurring.ts'
import { AccountPlaces } from './account-places.ts'
import { framesOf, type OpenStream } from './open-stream.ts'
import type { StreamSource } from './source.ts'
import {
  deleteOldEvents,
  findLastId,
  interestOf,
  listEvents,
  listEventsInReach,
  type StoredEvent,
  upsertInterest,
} from './store.ts'

/** Far fewer bytes than a reader may have unread: one that keeps up is never cut off by a burst. */
const eventsAtOnce = 200
const commentMs = 15_000
/** A revoked key is refused everywhere within one second. */
const checkMs = 800
/** When a notice was missed. */
const lookMs = 1_000
const renewMs = 60_000
const minutesKept = 15
const catchUpWaitMs = 30_000
const streamsAtOnce = 200
const stillHere = Buffer.from(': still here\n\n')

export class StreamHub implements AsyncDisposable {
  readonly #database: Database
  readonly #places: AccountPlaces
  readonly #onFault: (error: unknown) => void
  readonly #streams = new Set<OpenStream>()
  /** Live streams by what they reach and the workflow they are about: an event finds its readers without asking all of them. */
  readonly #live = new Map<string, Set<OpenStream>>()
  readonly #recurring: Recurring[]
  readonly #comments: NodeJS.Timeout
  #lastId = 0
  #reading: Promise<void> | undefined
  #hasNews = false
  #isStopping = false

  constructor(database: Database, source: StreamSource, onFault: (error: unknown) => void) {
    this.#database = database
    this.#places = new AccountPlaces(database)
    this.#onFault = onFault
    source.onNews(() => this.#read())
    const often = (work: () => Promise<unknown>, pauseMs: number) => new Recurring(work, { pauseMs, onFault })
    this.#recurring = [
      often(async () => this.#read(), lookMs),
      often(() => this.#checkRights(), checkMs),
      often(() => this.#renewInterest(), renewMs),
      often(() => deleteOldEvents(database.system, minutesKept), renewMs),
    ]
    for (const work of this.#recurring) work.start()
    this.#comments = setInterval(() => this.#comment(), commentMs).unref()
  }

  /** From now on events of this reach are written. Resolves before the stream is opened, so that nothing after it is missed. */
  async prepare(stream: Pick<OpenStream, 'reach'>): Promise<void> {
    if (this.#isStopping) throw new AppError('not_ready', 'The service is shutting down.')
    await upsertInterest(this.#database, [interestOf(stream.reach)], minutesKept)
    // Another stream may have been opened, and handed newer events, while this was asked.
    if (this.#streams.size === 0) this.#lastId = Math.max(this.#lastId, await findLastId(this.#database.system))
  }

  open(stream: OpenStream, after: number | undefined): void {
    this.#streams.add(stream)
    // At once for a reader that left while its stream was being opened.
    stream.onClose(() => {
      this.#streams.delete(stream)
      this.#leave(stream)
    })
    if (stream.isOver) return
    if (this.#isStopping) return void stream.cut()
    stream.begin()
    if (after === undefined) this.#join(stream)
    else
      void this.#catchUp(stream, after).catch((error) => {
        this.#onFault(error)
        stream.cut()
      })
  }

  /** Readers come back, to another process or to this one when it is there again. */
  endAll(): void {
    this.#isStopping = true
    for (const stream of this.#streams) stream.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endAll()
    clearInterval(this.#comments)
    await Promise.all(this.#recurring.map((work) => work[Symbol.asyncDispose]()))
    await this.#reading
  }

  async #catchUp(stream: OpenStream, after: number): Promise<void> {
    let seen = after
    // An id that was never given means nothing here: the reader begins with what happens from now on.
    while (!stream.isOver && seen < this.#lastId) {
      const upTo = this.#lastId
      const range = { after: seen, upTo, countMax: eventsAtOnce }
      const events = await listEventsInReach(this.#database.system, stream.reach, range)
      stream.send(framesOf(events.filter((event) => stream.wants(event))))
      await stream.drained(catchUpWaitMs)
      seen = events.length < eventsAtOnce ? upTo : (events.at(-1) as StoredEvent).id
    }
    if (!stream.isOver) this.#join(stream)
  }

  #join(stream: OpenStream): void {
    if (stream.isOver) return
    const key = placeOf(stream)
    this.#live.set(key, (this.#live.get(key) ?? new Set()).add(stream))
  }

  #leave(stream: OpenStream): void {
    const key = placeOf(stream)
    const others = this.#live.get(key)
    others?.delete(stream)
    if (others?.size === 0) this.#live.delete(key)
  }

  #read(): void {
    this.#hasNews = true
    if (this.#reading || this.#streams.size === 0) return
    this.#reading = this.#readAll()
      .catch(this.#onFault)
      .finally(() => {
        this.#reading = undefined
      })
  }

  async #readAll(): Promise<void> {
    while (this.#hasNews && this.#streams.size > 0) {
      this.#hasNews = false
      const events = await listEvents(this.#database.system, this.#lastId, eventsAtOnce)
      await this.#places.learn(events.map(({ accountId }) => accountId))
      await this.#hand(events)
      this.#lastId = events.at(-1)?.id ?? this.#lastId
      if (events.length === eventsAtOnce) this.#hasNews = true
    }
  }

  /**
   * One write for each reader, however many events there are for it. Streams that are about the same see the same events, so their frames
   * are encoded once for all of them; one that was opened after the first of these events gets its own.
   */
  async #hand(events: readonly StoredEvent[]): Promise<void> {
    const seenBy = new Map<string, StoredEvent[]>()
    for (const event of events)
      for (const key of this.#keysOf(event)) {
        const seen = seenBy.get(key)
        if (seen) seen.push(event)
        else seenBy.set(key, [event])
      }
    let handed = 0
    for (const [key, seen] of seenBy) {
      const frames = framesOf(seen)
      for (const stream of [...(this.#live.get(key) ?? [])]) {
        const wanted = seen.filter((event) => stream.wants(event))
        stream.send(wanted.length === seen.length ? frames : framesOf(wanted))
        // However many streams there are, requests are answered meanwhile.
        if (++handed % streamsAtOnce === 0) await new Promise((others) => setImmediate(others))
      }
    }
  }

  /** What live streams that see an event are listed under. */
  #keysOf(event: StoredEvent): string[] {
    const place = this.#places.find(event.accountId)
    const reaches = [`account ${event.accountId}`, `created ${event.accountId}`]
    if (place) reaches.push(`organization ${place.organizationId}`)
    if (place?.createdBy) reaches.push(`created ${place.createdBy}`)
    return reaches
      .flatMap((reach) => [`${reach} all`, `${reach} ${event.workflowId}`])
      .filter((key) => this.#live.has(key))
  }

  #comment(): void {
    for (const stream of this.#streams) stream.send(stillHere)
  }

  /** Streams of one credential stand or fall together. */
  async #checkRights(): Promise<void> {
    const groups = Map.groupBy(this.#streams, ({ rights }) => rights.key)
    for (const streams of groups.values()) {
      const [first] = streams
      const reach = await first?.rights.check().catch((error) => {
        if (!(error instanceof AppError)) throw error
        return undefined
      })
      for (const stream of streams) if (!reach || keyOf({ reach }) !== keyOf(stream)) stream.end()
    }
  }

  async #renewInterest(): Promise<void> {
    const interests = new Map([...this.#streams].map((stream) => [keyOf(stream), interestOf(stream.reach)]))
    if (interests.size > 0) await upsertInterest(this.#database, [...interests.values()], minutesKept)
  }
}

function keyOf({ reach }: Pick<OpenStream, 'reach'>): string {
  const { kind, scopeId } = interestOf(reach)
  return `${kind} ${scopeId}`
}

function placeOf(stream: OpenStream): string {
  return `${keyOf(stream)} ${stream.workflowId ?? 'all'}`
}
