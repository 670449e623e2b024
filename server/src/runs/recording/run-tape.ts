// What a run heard from outside, held in the worker's memory until the run ends: enough to run it again without anybody outside.

import { createHash } from 'node:crypto'
import type { Json } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { Exchange } from '../../proxy/index.ts'
import type { ScriptCall } from '../../sandbox/index.ts'
import { itemsKept, type TapedAnswer, type TapedBlock, type TapedCall } from './tape.ts'
import { encodeTape } from './tape-format.ts'

/** What the end of a run hands to whoever writes it down. */
export type RunRecording = {
  /** How many runs of the workflow are kept. */
  runsKept: number
  size: number
  /** Why nothing but this sentence can be kept. */
  problem: string | null
  encode(): Buffer
}

const tapeBytesMax = 10 * 1024 * 1024
const entryBytes = 200
const bodyCharactersMax = 64 * 1024

/** Bytes that all tapes of a worker may hold at once: hundreds of runs with large answers must not fill its memory. */
export class TapeRoom {
  left: number

  constructor(bytes = 256 * 1024 * 1024) {
    this.left = bytes
  }
}

/** Why a run cannot be replayed whose recording failed. */
export function explainUnrecorded(error: unknown): string {
  return `What this run received could not be recorded: ${error instanceof Error ? error.message : String(error)}`
}

/** Nothing here throws: a run is never worse off for being recorded. */
export class RunTape {
  readonly #room: TapeRoom
  readonly #runsKept: number
  readonly #blocks = new Map<string, TapedBlock>()
  /** In the order of their starts; those that heard nothing from outside are not there. */
  readonly #items = new Map<string, TapedItem>()
  #isCut = false
  /** Keys that the run itself wrote: what it reads there afterwards is its own, and a replay writes it again. */
  readonly #written = new Set<string>()
  #webhook: Json | JsonText = null
  #size = 0
  #problem: string | null
  #isReleased = false

  constructor(room: TapeRoom, runsKept: number, problem: string | null = null) {
    this.#room = room
    this.#runsKept = runsKept
    this.#problem = problem
  }

  takeWebhook(webhook: Json | JsonText): void {
    if (webhook === null) return
    this.#note(() => {
      const { length } = webhook instanceof JsonText ? webhook.content : JSON.stringify(webhook)
      if (this.#hold(length)) this.#webhook = webhook
    })
  }

  /** An earlier try of the block counts no longer. */
  startBlock(id: string): BlockTape {
    const block: TapedBlock = { id, calls: [], reads: [] }
    if (this.#problem === null) this.#blocks.set(id, block)
    return this.#tapeOf(block, () => {})
  }

  /** One try of an item: all of them count, in their order. */
  startItem(id: string, itemKey: string): BlockTape {
    const taped: TapedBlock = { id, itemKey, calls: [], reads: [] }
    let isKept = false
    return this.#tapeOf(taped, () => {
      if (isKept || !this.#hold(entryBytes + itemKey.length)) return
      isKept = true
      const item = this.#items.get(`${id} ${itemKey}`)
      if (item) item.tries.push(taped)
      else this.#items.set(`${id} ${itemKey}`, { tries: [taped], mayDrop: false })
    })
  }

  /** Where there is not room for all items, those that failed and the first of each block are kept. */
  endItem(id: string, itemKey: string, { index, isFailed }: { index: number; isFailed: boolean }): void {
    const place = `${id} ${itemKey}`
    const item = this.#items.get(place)
    if (!item || isFailed || index < itemsKept) return
    item.mayDrop = true
    if (this.#isCut) this.#drop(place, item)
  }

  #drop(place: string, { tries }: TapedItem): void {
    const bytes = tries.reduce((sum, one) => sum + sizeOf(one), 0)
    this.#items.delete(place)
    this.#size -= bytes
    this.#room.left += bytes
  }

  #cut(): void {
    this.#isCut = true
    for (const [place, item] of this.#items) if (item.mayDrop) this.#drop(place, item)
  }

  #tapeOf(block: TapedBlock, onHeard: () => void): BlockTape {
    return {
      beginCall: (begun) => {
        const end = this.#note(() => {
          onHeard()
          return this.#beginCall(block, begun)
        })
        return (ended) => this.#note(() => end?.(ended))
      },
      noteVault: (call, value) =>
        this.#note(() => {
          onHeard()
          this.#noteVault(block, call, value)
        }),
    }
  }

  finish(): RunRecording {
    const items = () => [...this.#items.values()].flatMap(({ tries }) => tries)
    return {
      runsKept: this.#runsKept,
      size: this.#size,
      problem: this.#problem,
      encode: () =>
        encodeTape({ webhook: this.#webhook, blocks: [...this.#blocks.values(), ...items()], isCut: this.#isCut }),
    }
  }

  /** Nothing but this sentence is kept of the run. */
  giveUp(problem: string): void {
    this.#problem ??= problem
    this.#blocks.clear()
    this.#items.clear()
    this.#webhook = null
    this.release()
  }

  /** However the run ended, its room is free again. */
  release(): void {
    this.#isReleased = true
    this.#room.left += this.#size
    this.#size = 0
  }

  /** What cannot be noted makes the recording worthless, and nothing else. */
  #note<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.giveUp(explainUnrecorded(error))
      return undefined
    }
  }

  #beginCall(block: TapedBlock, { method, address, data }: BegunCall): CallEnd {
    // It takes its place now: answers are given out in the order in which they were asked for.
    const call: TapedCall = {
      method,
      url: address,
      address,
      body: bodyText(data),
      answer: undefined,
      errorMessage: undefined,
    }
    if (this.#hold(entryBytes + address.length + (call.body?.length ?? 0))) block.calls.push(call)
    return (end) => {
      call.url = end.url
      call.errorMessage = end.errorMessage
      if (end.answer && this.#hold(end.answer.body.length + headerBytes(end.answer.headers))) call.answer = end.answer
    }
  }

  #noteVault(block: TapedBlock, call: VaultCall, value: Json): void {
    const place = `${call.scope} ${call.key}`
    if (call.kind !== 'vault.set' && !this.#written.has(place)) {
      const { kind, scope, key } = call
      const text = JSON.stringify(value)
      if (this.#hold(entryBytes + key.length + text.length)) block.reads.push({ kind, scope, key, value: text })
    }
    if (call.kind === 'vault.set' || call.kind === 'vault.remove') this.#written.add(place)
  }

  #hold(bytes: number): boolean {
    if (this.#problem !== null || this.#isReleased) return false
    if (this.#size + bytes > tapeBytesMax && !this.#isCut) this.#cut()
    if (this.#size + bytes > tapeBytesMax) {
      this.giveUp('What this run received is larger than 10 MiB, so it was not recorded.')
      return false
    }
    if (bytes > this.#room.left) {
      this.giveUp('Too many large runs ended at the same time, so this one was not recorded.')
      return false
    }
    this.#size += bytes
    this.#room.left -= bytes
    return true
  }
}

/** `mayDrop`: it succeeded, and is none of the first. */
type TapedItem = { tries: TapedBlock[]; mayDrop: boolean }

/** What its parts were counted as when they were noted. */
function sizeOf({ itemKey, calls, reads }: TapedBlock): number {
  const ofCalls = calls.map(({ address, body, answer }) => {
    const heard = answer ? answer.body.length + headerBytes(answer.headers) : 0
    return entryBytes + address.length + (body?.length ?? 0) + heard
  })
  const ofReads = reads.map(({ key, value }) => entryBytes + key.length + value.length)
  return [...ofCalls, ...ofReads].reduce((sum, bytes) => sum + bytes, entryBytes + (itemKey?.length ?? 0))
}

type VaultCall = Extract<ScriptCall, { key: string }>
type BegunCall = { method: string; address: string; data: Json | undefined }
export type CallEnd = (end: Pick<Exchange, 'url' | 'errorMessage'> & { answer?: TapedAnswer | undefined }) => void

export type BlockTape = {
  /** Returns what to call at the end of the call. */
  beginCall(call: BegunCall): CallEnd
  noteVault(call: VaultCall, value: Json): void
}

/** How bodies are kept and compared: long ones by their digest. */
export function bodyText(data: Json | undefined): string | null {
  if (data === undefined || data === null) return null
  const text = JSON.stringify(data)
  if (text.length <= bodyCharactersMax) return text
  const digest = createHash('sha256').update(text).digest('hex')
  return JSON.stringify(`(${text.length} characters, SHA-256 ${digest})`)
}

function headerBytes(headers: Record<string, string>): number {
  let sum = 0
  for (const name in headers) sum += name.length + (headers[name] as string).length + 6
  return sum
}
