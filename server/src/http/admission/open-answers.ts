// Answers from the moment their request arrived until their last byte has left. Clients that ask and do not read are cut off: none may have
// many requests waiting on one connection, hold many unread bytes, or take for ever over an answer.
//
//   request arrives ── answer made ── handed to the connection ── taken by the client, or its connection lost
//        open()           hold()          deadline runs              onClose()
//
// An answer that goes on, as a stream does, has no deadline; what waits for its client counts in the same quotas (watch).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../lib/address-network.ts'

/** Requests on one connection that wait for their answers. Clients that send ahead at all send a few. */
const pipelinedMax = 32
/** Smaller answers are bounded by the number of requests. */
export const countedBytesMin = 64 * 1024

const MiB = 1024 * 1024
const defaults = {
  /** Unread bytes: of one account or one address without keys, of an organization or all without keys, of everybody. */
  readerBytesMax: 128 * MiB,
  groupBytesMax: 256 * MiB,
  allBytesMax: 512 * MiB,
  /** A client that takes an answer more slowly, or not at all, is cut off. */
  takeMsMax: 30_000,
  bytesPerMsMin: 16,
  sweepMs: 1000,
}

/** Whose bytes they are: an account and its organization, or an address. */
export type Reader = { readonly id: string; readonly groupId: string }

export function strangerAt(address: string): Reader {
  return { id: networkOf(address), groupId: 'strangers' }
}

const answersOf = Symbol('open answers of a connection')
const answerOf = Symbol('open answer of a response')
type WatchedSocket = Socket & { [answersOf]?: Set<OpenAnswer> }
type WatchedResponse = ServerResponse & { [answerOf]?: OpenAnswer }

class OpenAnswer {
  readonly socket: WatchedSocket
  readonly response: ServerResponse
  reader: Reader | undefined
  bytes = 0
  /** When it was first seen to wait for nothing but its client. */
  handedOverAt = 0
  isClosed = false
  readonly closers: (() => void)[] = []

  constructor(socket: WatchedSocket, response: ServerResponse) {
    this.socket = socket
    this.response = response
  }
}

export class OpenAnswers implements Disposable {
  readonly #sockets = new Set<WatchedSocket>()
  /** Those whose bytes count, the oldest first. */
  readonly #counted = new Set<OpenAnswer>()
  readonly #limits: typeof defaults
  readonly #timer: NodeJS.Timeout
  #bytes = 0
  readonly #bytesOf = { reader: new Map<string, number>(), group: new Map<string, number>() }

  constructor(limits: Partial<typeof defaults> = {}) {
    this.#limits = { ...defaults, ...limits }
    this.#timer = setInterval(() => this.#cutSlow(performance.now()), this.#limits.sweepMs).unref()
  }

  /** Bytes that wait for clients. */
  get unreadBytes(): number {
    return this.#bytes
  }

  /** False when the connection was cut: then there is nobody to answer. */
  open(request: IncomingMessage, response: ServerResponse): boolean {
    const socket = request.socket as WatchedSocket
    if (socket.destroyed) return false
    const open = socket[answersOf] ?? this.#watch(socket)
    if (open.size >= pipelinedMax) {
      socket.destroy()
      return false
    }
    const answer = new OpenAnswer(socket, response)
    ;(response as WatchedResponse)[answerOf] = answer
    open.add(answer)
    if (open.size === 1) this.#sockets.add(socket)
    response.on('close', () => this.#close(answer))
    return true
  }

  /**
   * Calls back once, when the answer was taken or cannot be any more; at once if that is so already. A response of Node alone does not tell: its
   * `close` is not emitted again for those who ask too late, and never for an answer that waits behind another on its connection.
   */
  onClose(response: ServerResponse, callback: () => void): void {
    const answer = (response as WatchedResponse)[answerOf]
    // A request that this process makes of itself has no connection, and so no reader who may leave.
    if (!answer) response.once('close', callback)
    else if (answer.isClosed) callback()
    else answer.closers.push(callback)
  }

  /** Counts the bytes of an answer until they are taken. Where they are too many, the oldest that wait for the same reader are given up. */
  hold(response: ServerResponse, bytes: number, reader: Reader): void {
    const answer = (response as WatchedResponse)[answerOf]
    if (!answer || answer.isClosed || answer.bytes > 0) return
    answer.reader = reader
    this.#count(answer, bytes)
  }

  /** For an answer that goes on. Returns what to tell of the bytes that wait for its client whenever they have changed. */
  watch(response: ServerResponse, reader: Reader): (bytes: number) => void {
    const answer = (response as WatchedResponse)[answerOf]
    if (!answer) return () => {}
    answer.reader = reader
    return (bytes) => {
      if (bytes !== answer.bytes && !answer.isClosed) this.#count(answer, bytes)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #watch(socket: WatchedSocket): Set<OpenAnswer> {
    const open = new Set<OpenAnswer>()
    socket[answersOf] = open
    // An answer that waits behind another is not told when their connection closes.
    socket.on('close', () => {
      for (const answer of open) this.#close(answer)
    })
    return open
  }

  #close(answer: OpenAnswer): void {
    if (answer.isClosed) return
    answer.isClosed = true
    const open = answer.socket[answersOf]
    open?.delete(answer)
    if (open?.size === 0) this.#sockets.delete(answer.socket)
    this.#forget(answer)
    for (const callback of answer.closers) callback()
  }

  #count(answer: OpenAnswer, bytes: number): void {
    const grown = bytes > answer.bytes
    this.#add(answer, bytes - answer.bytes)
    answer.bytes = bytes
    if (bytes === 0) return void this.#counted.delete(answer)
    this.#counted.add(answer)
    if (grown) this.#cutBeyondQuotas(answer)
  }

  #add({ reader }: OpenAnswer, bytes: number): void {
    this.#bytes += bytes
    if (!reader) return
    addTo(this.#bytesOf.reader, reader.id, bytes)
    addTo(this.#bytesOf.group, reader.groupId, bytes)
  }

  #forget(answer: OpenAnswer): void {
    if (this.#counted.delete(answer)) this.#add(answer, -answer.bytes)
    answer.bytes = 0
  }

  #cutBeyondQuotas(newest: OpenAnswer): void {
    const { readerBytesMax, groupBytesMax, allBytesMax } = this.#limits
    const { id = '', groupId = '' } = newest.reader ?? {}
    const { reader, group } = this.#bytesOf
    this.#cutOldest(
      newest,
      () => (reader.get(id) ?? 0) > readerBytesMax,
      (other) => other.id === id,
    )
    this.#cutOldest(
      newest,
      () => (group.get(groupId) ?? 0) > groupBytesMax,
      (other) => other.groupId === groupId,
    )
    this.#cutOldest(
      newest,
      () => this.#bytes > allBytesMax,
      () => true,
    )
  }

  #cutOldest(newest: OpenAnswer, isOver: () => boolean, isMeant: (reader: Reader) => boolean): void {
    if (!isOver()) return
    for (const answer of this.#counted) {
      if (answer === newest || !answer.reader || !isMeant(answer.reader)) continue
      this.#forget(answer)
      answer.socket.destroy()
      if (!isOver()) return
    }
  }

  #cutSlow(now: number): void {
    const { takeMsMax, bytesPerMsMin } = this.#limits
    for (const socket of this.#sockets) {
      const [first] = socket[answersOf] ?? []
      // The others wait for the first. While it is not made, the client has nothing to take.
      if (!first?.response.writableEnded) continue
      first.handedOverAt ||= now
      if (now - first.handedOverAt > takeMsMax + first.bytes / bytesPerMsMin) socket.destroy()
    }
  }
}

function addTo(sums: Map<string, number>, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes
  if (sum > 0) sums.set(key, sum)
  else sums.delete(key)
}
