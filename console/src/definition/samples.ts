/**
 * Samples: what each block of a draft gives the blocks after it while somebody builds. For a block the newest of these counts:
 *
 *   its last test in this visit ─► its pin ─► its result in a recorded run (the last one, or the one that was chosen)
 *
 * They belong to the person who builds: tests last as long as the page, pins stay in this browser. Nothing of them reaches a deployed run, a
 * template or an export.
 */
import { readBrowserData, writeBrowserData } from '../session/browser-data.ts'
import { createStore, type Store } from '../ui/store.ts'
import type { Block } from './workflow-draft.ts'

export type Sample = {
  value: unknown
  origin: { kind: 'test' } | { kind: 'pin' } | { kind: 'run'; runNumber: number }
  /** session.vars as the block left them; known for tests only. */
  sessionVars?: Readonly<Record<string, unknown>>
}

export type SampleBook = {
  tested: ReadonlyMap<string, Sample>
  pinned: ReadonlyMap<string, Sample>
  /** The recorded run to take results from; undefined for the last one. */
  runNumber?: number | undefined
}

const books = new Map<string, Store<SampleBook>>()

/** One book per workflow and visit, so that samples outlive a change of tabs. */
export function bookOf(workflowId: string): Store<SampleBook> {
  const known = books.get(workflowId)
  if (known) return known
  const book = createStore<SampleBook>({ tested: new Map(), pinned: readPins(workflowId) })
  books.set(workflowId, book)
  return book
}

export function keepTest(book: Store<SampleBook>, blockId: string, sample: Omit<Sample, 'origin'>): void {
  const before = book.get()
  book.set({ ...before, tested: new Map(before.tested).set(blockId, { ...sample, origin: { kind: 'test' } }) })
}

/** A pin is newer than the test it was made from. False when the browser has no room for it. */
export function pinSample(workflowId: string, blockId: string, value: unknown): boolean {
  const book = bookOf(workflowId)
  const before = book.get()
  const pinned = new Map(before.pinned).set(blockId, { value, origin: { kind: 'pin' } })
  if (!writePins(workflowId, pinned)) return false
  const tested = new Map(before.tested)
  tested.delete(blockId)
  book.set({ ...before, tested, pinned })
  return true
}

export function unpinSample(workflowId: string, blockId: string): void {
  const book = bookOf(workflowId)
  const before = book.get()
  const pinned = new Map(before.pinned)
  pinned.delete(blockId)
  writePins(workflowId, pinned)
  book.set({ ...before, pinned })
}

/** All data comes from that run: tests made before are older than the choice. Pins stay, because somebody set them on purpose. */
export function chooseRun(workflowId: string, runNumber: number | undefined): void {
  const book = bookOf(workflowId)
  book.set({ ...book.get(), tested: new Map(), runNumber })
}

export function newestSample(book: SampleBook, blockId: string, recorded: Sample | undefined): Sample | undefined {
  return book.tested.get(blockId) ?? book.pinned.get(blockId) ?? recorded
}

/**
 * The blocks before this one that must be tested so that each of its sources has a sample, in an order in which every block comes after those it
 * reads from. A block that has a sample needs nothing before it.
 */
export function missingBefore(chain: readonly Block[], blockId: string, hasSample: (id: string) => boolean): Block[] {
  const byId = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const missing: Block[] = []
  const seen = new Set<string>([blockId])
  const visit = (id: string): void => {
    for (const source of byId.get(id)?.dataSources ?? []) {
      const block = byId.get(source)
      if (!block || seen.has(source) || hasSample(source)) continue
      seen.add(source)
      visit(source)
      missing.push(block)
    }
  }
  visit(blockId)
  return missing
}

/** What the blocks before left in session.vars, as far as tests know it. */
export function sessionBefore(book: SampleBook, block: Block): Record<string, unknown> {
  return Object.assign({}, ...block.dataSources.map((source) => book.tested.get(source)?.sessionVars ?? {}))
}

/** Items as the service counts them: the length of a list, one for anything else, none for null. */
export function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : value === null || value === undefined ? 0 : 1
}

function readPins(workflowId: string): Map<string, Sample> {
  const stored = readBrowserData(pinsOf(workflowId))
  if (typeof stored !== 'object' || stored === null) return new Map()
  return new Map(Object.entries(stored).map(([blockId, value]) => [blockId, { value, origin: { kind: 'pin' } }]))
}

function writePins(workflowId: string, pinned: ReadonlyMap<string, Sample>): boolean {
  const values = Object.fromEntries([...pinned].map(([blockId, { value }]) => [blockId, value]))
  return writeBrowserData(pinsOf(workflowId), pinned.size === 0 ? undefined : values)
}

function pinsOf(workflowId: string): string {
  return `pins.${workflowId}`
}
