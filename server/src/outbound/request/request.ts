/** What a caller asks for and what comes back, with the limits that hold when the caller names none. */
import type { Readable } from 'node:stream'
import type { Owner } from '../../lib/fair-queue.ts'
import type { RateLimit } from '../rate-limit.ts'

export const redirectsMaxDefault = 5
export const timeoutMsDefault = 30_000
export const responseBytesMaxDefault = 32 * 1024 * 1024

/** The longest time that one call waits for the target's sake, all waits together. */
export const pauseMsMaxDefault = 60_000
export const retriesMax = 5

export type Credentials = {
  /** The only hosts these credentials may travel to; `guard/allowed-hosts.ts` says how entries are spelled. */
  allowedHosts: readonly string[]
  headers?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  /** The body holds a secret too (a token request): it follows no redirect to another origin. */
  isBodySecret?: boolean
}

export type OutboundBody = string | Uint8Array | Readable | AsyncIterable<Uint8Array>

export type OutboundRequest = {
  method: string
  url: string | URL
  headers?: Readonly<Record<string, string | readonly string[]>>
  /** A stream can be sent only once: such a request is neither retried nor redirected with its body. */
  body?: OutboundBody
  credentials?: Credentials
  /** Further values that must not appear in the request log, such as a token that is part of the path. */
  secrets?: readonly string[]
  idempotencyKey?: string
  rateLimit?: RateLimit & { key: string }
  /** Applies to the bytes received and again to the bytes after decompression. */
  responseBytesMax?: number
  /** Working time of the whole call with its redirects and retries; waits for the target's sake do not count. */
  timeoutMs?: number
  redirectsMax?: number
  /** False hands a redirect to the caller as an answer like any other. */
  followRedirects?: boolean
  pauseMsMax?: number
  signal?: AbortSignal
  /** Whose call it is: its places and bytes come out of the shares of this account and organization. Nobody's are not counted. */
  owner?: Owner
  /** Called when the answer is large: its bytes count until `release` is called. Absent: until the answer is handed over. */
  onHeld?: (release: () => void) => void
  /** Called before each wait for the target's sake (Retry-After, declared rate) with its length. */
  onPause?: (waitMs: number) => void
}

export type ResponseHeaders = Record<string, string | string[]>

export type OutboundResponse = {
  status: number
  /** Names in lower case. Length and encoding of a decompressed body are left out: they no longer describe it. */
  headers: ResponseHeaders
  body: Buffer
  /** Where the answer came from after redirects, without credentials. */
  url: string
  redirects: number
  retries: number
  pausedMs: number
}

/** The body must be read to its end or destroyed; until then it holds a connection. */
export type OutboundStream = Omit<OutboundResponse, 'body'> & { body: Readable }
