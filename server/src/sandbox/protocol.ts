/**
 * What crosses between the service and a script process: one JSON text a line, nothing else.
 *
 * The service writes to descriptor 0 of the script process. The script process writes everything to descriptor 3 and reads
 * from there only the answer to a synchronous call, with a blocking read: that is how `myVault.get(key)` can return a value
 * without `await` and without any host object inside the isolate. Descriptor 4 is heard however busy
 * the script process is: when it is closed the service is gone, and a number on it asks for jobs back that were not begun.
 */
import type { Json } from '../lib/json.ts'

export const ORDER_DESCRIPTOR = 0
export const REPLY_DESCRIPTOR = 3
export const LIFELINE_DESCRIPTOR = 4

/** Calls and sleeps that one script may have under way at once; the rest wait inside the isolate. */
export const CALLS_AT_ONCE = 32
export const SLEEPS_AT_ONCE = 256

/**
 * The script process writes these to its standard error around the making of an isolate. When it ends in between, it was not for anything that
 * a script did.
 */
export const MAKING_ISOLATE = '[making an isolate]'
export const MADE_ISOLATE = '[made an isolate]'

export type GuestFunction = { name: string; isAsync: boolean; arguments: string[]; script: string }

/** Limits that the isolate itself keeps. The parent checks all of them again. */
export type GuestLimits = {
  memoryBytes: number
  resultBytesMax: number
  logBytesMax: number
  callBytesMax: number
}

type LibraryMessage = { type: 'library'; key: string; functions: GuestFunction[] }

export type RunMessage = {
  type: 'run'
  job: number
  /** Scripts of different accounts never share an isolate. */
  accountId: string
  script: string
  /** JSON text, so that the script process does not parse it twice. */
  inputs: string
  /** Scripts with the same key follow each other in one realm, as long as they leave it as they found it. Empty: a realm of its own. */
  realmKey: string
  /** Another script with the same key may follow. */
  keepsRealm: boolean
  /** Key of a library sent before to this process. */
  libraryKey: string
  limits: GuestLimits
}

type CheckMessage = { type: 'check'; job: number; source: string }

/** Has the process make all isolates that it may ever have at once. */
type HoldMessage = { type: 'hold'; job: number }

export type AnswerMessage = { type: 'answer'; job: number; call: number; ok: boolean; body: string }

export type ToGuest = LibraryMessage | RunMessage | CheckMessage | HoldMessage | AnswerMessage

/** How the script ended, as the isolate tells it. The texts are JSON made inside the isolate. */
export type GuestEnd =
  | { kind: 'returned'; value: string; vars: string; vault: string; vaultGlobal: string; stop: boolean | null }
  /** `vars`: what the script left in session.vars; null when that is not JSON. `response`: what a target answered, where the error carries it. */
  | { kind: 'threw'; name: string; message: string; stack: string; vars: string | null; response: string | null }
  | { kind: 'invalid'; message: string; line: number; column: number }
  | { kind: 'valid' }
  /** All isolates were there at once. `dataBytes` is what the system counted then, 0 where it does not tell. */
  | { kind: 'held'; dataBytes: number }
  | { kind: 'notJson'; what: string; message: string }
  | { kind: 'tooLarge'; what: string; bytes: number }
  | { kind: 'outOfMemory' }
  | { kind: 'stalled' }

export type FromGuest =
  | { type: 'ready'; pid: number; report: GuestReport }
  | { type: 'log'; job: number; lines: string[]; isCut: boolean }
  /** `problem` is why its arguments were not read. */
  | { type: 'call'; job: number; isSync: boolean; call: number; name: string; args: Json[]; problem?: string }
  /** The isolate has nothing to do until an answer comes; `answers` is how many of them it had seen by then. */
  | { type: 'idle'; job: number; answers: number }
  | { type: 'done'; job: number; end: GuestEnd }

/** What a script process finds out about its own walls, so that the service claims only what holds. */
export type GuestReport = {
  uid: number
  environmentNames: string[]
  /** As the system names them; empty where it has none. */
  networkNamespace: string
  processNamespace: string
  /** The filter of system calls holds. */
  refusesSockets: boolean
  /** Descriptors that the service was started with and that could not be closed; -1 when they cannot be listed. */
  foreignDescriptors: number
  processLimits: string
}

/** Splits a byte stream into lines and refuses a line over the limit before it is held in memory as a whole. */
export function createLineReader(bytesMax: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let held = 0
  return (chunk) => {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(10, from)
      if (end === -1) break
      const part = chunk.subarray(from, end)
      from = end + 1
      if (held + part.length > bytesMax) throw new RangeError(`A message of more than ${bytesMax} bytes was refused.`)
      if (parts.length === 0) {
        onLine(part.toString('utf8'))
        continue
      }
      parts.push(part)
      const line = Buffer.concat(parts).toString('utf8')
      parts = []
      held = 0
      onLine(line)
    }
    if (from === chunk.length) return
    const rest = chunk.subarray(from)
    held += rest.length
    if (held > bytesMax) throw new RangeError(`A message of more than ${bytesMax} bytes was refused.`)
    // The chunk belongs to the caller.
    parts.push(Buffer.from(rest))
  }
}
