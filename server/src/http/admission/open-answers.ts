// Answers from the moment their request arrived until their last byte has left. Clients that ask and do not read are cut off: none may have
// many requests waiting on one connection, hold many unread bytes, or take for ever over an answer.
//
//   request arrives ── answer made ── handed to the connection ── taken by the client
//        open()           hold()          deadline runs              endWith()
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
  onClose: (() => void) | undefined

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

  constructor(limits: Partial<typeof defaults> = {}) {
    this.#limits = { ...defaults, ...limits }
    this.#timer = setInterval(() => this.#cutSlow(performance.now()), this.#limits.sweepMs).unref()
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

  /** Calls back when the answer was taken or cannot be any more; at once if that is so already. */
  endWith(response: ServerResponse, onClose: () => void): void {
    const answer = (response as WatchedResponse)[answerOf]
    if (!answer || answer.isClosed) onClose()
    else answer.onClose = onClose
  }

  /** Calls back now for an answer that goes on without an end. */
  releasePlace(response: ServerResponse): void {
    const answer = (response as WatchedResponse)[answerOf]
    const onClose = answer?.onClose
    if (answer) answer.onClose = undefined
    onClose?.()
  }

  /** Counts the bytes of an answer until they are taken. Where they are too many, the oldest that wait for the same reader are given up. */
  hold(response: ServerResponse, bytes: number, reader: Reader): void {
    const answer = (response as WatchedResponse)[answerOf]
    if (!answer || answer.isClosed || answer.bytes > 0) return
    answer.bytes = bytes
    answer.reader = reader
    this.#counted.add(answer)
    this.#bytes += bytes
    const { readerBytesMax, groupBytesMax, allBytesMax } = this.#limits
    if (this.#bytes <= readerBytesMax) return
    this.#cutOldest(readerBytesMax, answer, (other) => other.id === reader.id)
    this.#cutOldest(groupBytesMax, answer, (other) => other.groupId === reader.groupId)
    this.#cutOldest(allBytesMax, answer, () => true)
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
    answer.onClose?.()
  }

  #forget(answer: OpenAnswer): void {
    if (answer.bytes > 0 && this.#counted.delete(answer)) this.#bytes -= answer.bytes
  }

  #cutOldest(bytesMax: number, newest: OpenAnswer, isMeant: (reader: Reader) => boolean): void {
    const meant = [...this.#counted].filter(({ reader }) => reader && isMeant(reader))
    let bytes = meant.reduce((sum, answer) => sum + answer.bytes, 0)
    for (const answer of meant) {
      if (bytes <= bytesMax) return
      if (answer === newest) continue
      bytes -= answer.bytes
      this.#forget(answer)
      answer.socket.destroy()
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
