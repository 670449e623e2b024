// Turns the feed into segments:
//
//   run ends, request accepted ─► search_feed ─(indexer, within a second or two)─► small segments ─(merging)─► large segments
//
// An entry leaves the feed in the transaction that stores its segments, so nothing is indexed twice or lost when a process dies.
import type { Contents } from '../../contents/index.ts'
import { type Database, isTransient, type Tx } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'
import { loadRunTexts, sizeRunTexts } from '../../runs/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { loadWebhookTexts, sizeWebhookTexts } from '../../webhooks/index.ts'
import { documentsMax } from '../index-format/segment.ts'
import {
  deleteOutdated,
  insertSegment,
  listCompactable,
  listMergeable,
  type MergePlace,
  type SegmentPlace,
  takeFeed,
  takeSegments,
} from '../store.ts'
import { feedBacklog } from './backlog.ts'
import { textsOfRuns, textsOfWebhooks } from './index-texts.ts'
import type { IndexText } from './index-work.ts'
import { IndexThread } from './thread.ts'

/** What ended is found within five seconds. The longer the pause, the larger the segments, and the less is merged again. */
const lookMs = 2_000
const sweepMs = 10 * 60_000
/** Batches of ends and of accepted requests that are indexed in one transaction. */
const feedEntriesMax = 200
/** Characters that are in memory at once. */
const charactersMax = 16 * 1024 * 1024
const segmentsToMerge = 8

type IndexerDeps = {
  database: Database
  keyRing: KeyRing
  contents: Pick<Contents, 'read'>
  retention: { daysKept: number; runsKeptMax: number }
  onFault(error: unknown): void
}

type Sized = { id: string; size: number }
type PlacedTexts = Map<string, { place: SegmentPlace; texts: IndexText[] }>

export class Indexer implements AsyncDisposable {
  readonly #deps: IndexerDeps
  readonly #thread = new IndexThread()
  readonly #looking: Recurring
  readonly #sweeping: Recurring
  #hasBacklog = true

  constructor(deps: IndexerDeps) {
    this.#deps = deps
    this.#looking = new Recurring(() => this.#indexAll(), { pauseMs: lookMs, onFault: deps.onFault })
    this.#sweeping = new Recurring(() => this.#sweep(), { pauseMs: sweepMs, onFault: deps.onFault })
  }

  start(): void {
    this.#looking.startNow()
    this.#sweeping.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#looking[Symbol.asyncDispose](), this.#sweeping[Symbol.asyncDispose]()])
    await this.#thread[Symbol.asyncDispose]()
  }

  async #indexAll(): Promise<void> {
    while (!this.#looking.isStopping) {
      const { entries, workflowIds } = await this.#deps.database.system.transaction((tx) => this.#indexSome(tx))
      await this.#mergeIn([...workflowIds])
      if (entries === 0 && this.#hasBacklog) {
        this.#hasBacklog = await this.#deps.database.system.transaction(feedBacklog)
        if (this.#hasBacklog) continue
      }
      // What came meanwhile waits for the next look: few large segments cost much less than many small ones.
      if (entries < feedEntriesMax) return
    }
  }

  async #indexSome(tx: Tx): Promise<{ entries: number; workflowIds: Set<string> }> {
    const { keyRing, contents } = this.#deps
    const taken = await takeFeed(tx, feedEntriesMax)
    const [runs, webhooks] = await Promise.all([sizeRunTexts(tx, taken.run), sizeWebhookTexts(tx, taken.webhook)])
    const workflowIds = new Set<string>()
    for (const ids of inPieces(runs)) {
      await this.#store(tx, textsOfRuns(await loadRunTexts(tx, contents, ids)), workflowIds)
    }
    for (const ids of inPieces(webhooks)) {
      await this.#store(tx, textsOfWebhooks(await loadWebhookTexts(tx, keyRing, ids)), workflowIds)
    }
    return { entries: taken.entries, workflowIds }
  }

  async #store(tx: Tx, texts: PlacedTexts, workflowIds: Set<string>): Promise<void> {
    for (const { place, texts: ofPlace } of texts.values()) {
      const segments = await this.#build(place, ofPlace)
      await Promise.all(segments.map((segment) => insertSegment(tx, place, tierOf(segment.documentCount), segment)))
      workflowIds.add(place.workflowId)
    }
  }

  /** A text that cannot be indexed is left out, so that it does not keep the others from being found. */
  async #build({ accountId }: SegmentPlace, texts: IndexText[]) {
    const key = await this.#deps.keyRing.derivedKey(accountId, 'search')
    try {
      return await this.#thread.run({ kind: 'build', key, texts })
    } catch (error) {
      if (isTransient(error)) throw error
      this.#deps.onFault(error)
      return []
    }
  }

  async #mergeIn(workflowIds: readonly string[]): Promise<void> {
    const { system } = this.#deps.database
    for (const { tier, ...place } of await listMergeable(system, workflowIds, segmentsToMerge)) {
      if (tier < tierOf(documentsMax)) await this.#merge(place, tier)
    }
  }

  async #merge(place: MergePlace, tier: number | undefined): Promise<void> {
    await this.#deps.database.system.transaction(async (tx) => {
      const segments = await takeSegments(tx, place, tier, documentsMax)
      if (segments.length === 0) return
      for (const merged of await this.#thread.run({ kind: 'merge', segments }))
        await insertSegment(tx, place, tierOf(merged.documentCount), merged)
    })
  }

  async #sweep(): Promise<void> {
    const { database, retention } = this.#deps
    await deleteOutdated(database.system, retention)
    for (const place of await listCompactable(database.system, documentsMax / 2)) {
      if (this.#sweeping.isStopping) return
      await this.#merge(place, undefined)
    }
  }
}

/** Eight segments of one tier make one of the next. */
function tierOf(documentCount: number): number {
  return Math.min(4, Math.floor(Math.log2(Math.max(1, documentCount)) / 3))
}

/** As many at once as fit into memory; a single one that does not is alone. */
function inPieces(items: readonly Sized[]): string[][] {
  const pieces: string[][] = []
  let room = 0
  for (const { id, size } of items) {
    if (pieces.length === 0 || size > room) {
      pieces.push([])
      room = charactersMax
    }
    pieces.at(-1)?.push(id)
    room -= size
  }
  return pieces
}
