/**
 * Where events come from, in every process:
 *
 *   announce() ─► waiting ─(40 ms)─► somebody wants them ─► written, all in one transaction with one notice
 *                                 └► nobody does ─► remembered for some seconds ─► forgotten
 *
 * What nobody watches costs an object in memory. The memory is there because a stream that was opened a moment ago may not have been
 * heard of yet: once it is, what happened since is written after all.
 *
 * Events are not part of the transactions they tell about: a process that is killed takes those of its last moments along. Whoever must
 * know of every end of a run reads the history or subscribes to events.
 */
import type { Database } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { AccountPlaces } from './account-places.ts'
import { type Interest, insertEvents, listInterest, news, streamChannel, type WaitingEvent } from './store.ts'
import { type Announce, type StreamEvent, shortenTexts } from './stream-event.ts'

const gatherMs = 40
const eventsAtOnce = 2_000
/** What waits while the database is away; the oldest go first. */
const waitingMax = 20_000
const rememberMs = 2_000
const rememberedMax = 4_000
/** Interest is told at once; this is for notices that were missed. */
const lookMs = 5_000
/** Changes of a queue are told once a moment, however many there are. */
const queueQuietMs = 500

export class StreamSource implements AsyncDisposable {
  readonly #database: Database
  readonly #places: AccountPlaces
  readonly #onFault: (error: unknown) => void
  readonly #looking: Recurring
  #waiting: WaitingEvent[] = []
  #younger: WaitingEvent[] = []
  #older: WaitingEvent[] = []
  #youngerSince = 0
  #wanted = new Set<string>()
  readonly #quietQueues = new Map<string, { again?: StreamEvent }>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #listener: { close(): Promise<void> } | undefined
  readonly #onNews: (() => void)[] = []

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#places = new AccountPlaces(database)
    this.#onFault = onFault
    this.#looking = new Recurring(() => this.#learnInterest(), { pauseMs: lookMs, onFault })
  }

  async start(): Promise<void> {
    const everything = () => {
      void this.#learnInterest().catch(this.#onFault)
      for (const listener of this.#onNews) listener()
    }
    this.#listener = await this.#database.listen(
      streamChannel,
      (said) => {
        if (said === news.interest) void this.#learnInterest().catch(this.#onFault)
        else for (const listener of this.#onNews) listener()
      },
      everything,
    )
    this.#looking.start()
  }

  /** Calls back when there are new events of any process. */
  onNews(listener: () => void): void {
    this.#onNews.push(listener)
  }

  readonly announce: Announce = (event) => {
    if (event.type === 'queue.changed' && this.#isQuiet(event)) return
    if (this.#waiting.length >= waitingMax) this.#waiting.shift()
    this.#waiting.push({ ...event, data: shortenTexts(event.data), at: new Date() })
    this.#timer ??= setTimeout(() => this.#startFlush(), gatherMs).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#looking[Symbol.asyncDispose]()
    await this.#listener?.close()
    await this.#flushing
    await this.#flush().catch(this.#onFault)
  }

  /** The first of several is told at once, the others together when the quiet time is over. */
  #isQuiet(event: StreamEvent): boolean {
    const key = event.workflowId ?? event.accountId
    const quiet = this.#quietQueues.get(key)
    if (quiet) {
      quiet.again = event
      return true
    }
    const begun: { again?: StreamEvent } = {}
    this.#quietQueues.set(key, begun)
    setTimeout(() => {
      this.#quietQueues.delete(key)
      if (begun.again) this.announce(begun.again)
    }, queueQuietMs).unref()
    return false
  }

  #startFlush(): void {
    this.#timer = undefined
    if (this.#flushing !== undefined) return
    this.#flushing = this.#flush()
      .catch(this.#onFault)
      .finally(() => {
        this.#flushing = undefined
        if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#startFlush(), gatherMs).unref()
      })
  }

  async #flush(): Promise<void> {
    const events = this.#waiting.splice(0, eventsAtOnce)
    if (events.length === 0) return
    const wanted = await this.#takeWanted(events)
    if (wanted.length > 0) await insertEvents(this.#database, wanted)
  }

  /** Remembers the others. */
  async #takeWanted(events: readonly WaitingEvent[]): Promise<WaitingEvent[]> {
    if (this.#wanted.size === 0) {
      this.#remember(events)
      return []
    }
    await this.#places.learn(events.map(({ accountId }) => accountId))
    const wanted: WaitingEvent[] = []
    const others: WaitingEvent[] = []
    for (const event of events) (this.#isWanted(event) ? wanted : others).push(event)
    this.#remember(others)
    return wanted
  }

  #isWanted({ accountId }: StreamEvent): boolean {
    if (this.#wanted.has(`account ${accountId}`) || this.#wanted.has(`created ${accountId}`)) return true
    const place = this.#places.find(accountId)
    if (!place) return false
    return (
      this.#wanted.has(`organization ${place.organizationId}`) ||
      (place.createdBy !== null && this.#wanted.has(`created ${place.createdBy}`))
    )
  }

  #remember(events: readonly WaitingEvent[]): void {
    const now = performance.now()
    if (now - this.#youngerSince > rememberMs || this.#younger.length > rememberedMax) {
      this.#older = now - this.#youngerSince > 2 * rememberMs ? [] : this.#younger
      this.#younger = []
      this.#youngerSince = now
    }
    for (const event of events) this.#younger.push(event)
  }

  async #learnInterest(): Promise<void> {
    const interests = await listInterest(this.#database.system)
    const known = this.#wanted
    this.#wanted = new Set(interests.map(keyOf))
    if ([...this.#wanted].every((key) => known.has(key))) return
    // Somebody is new. What was remembered goes through the same gate again.
    const remembered = [...this.#older, ...this.#younger]
    this.#older = []
    this.#younger = []
    if (remembered.length === 0) return
    this.#waiting.unshift(...remembered)
    this.#timer ??= setTimeout(() => this.#startFlush(), 0).unref()
  }
}

function keyOf({ kind, scopeId }: Interest): string {
  return `${kind} ${scopeId}`
}
