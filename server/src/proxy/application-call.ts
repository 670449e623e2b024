// A call to a registered application, what it answers, and what is told of it.

import type { ConnectionAnswer } from '../connections/index.ts'
import type { Scope } from '../db/index.ts'
import type { Json } from '../lib/json.ts'
import type { JsonText } from '../lib/json-text.ts'

export type ApplicationCall = {
  shortName: string
  /** Chooses among several instances. */
  regApplicationId?: string
  verb: string
  requestUrl: string
  baseUrl?: string
  data?: Json
  /** In place of `data` where it holds very many values. */
  dataText?: JsonText
  headers?: Record<string, string>
  /** Absent: JSON where the body is JSON, text otherwise. */
  responseType?: 'Json' | 'Text' | 'Binary'
  /** Absent: every 2xx. */
  responseCodes?: readonly number[]
  idempotencyKey?: string
  signal?: AbortSignal
  onPause?: (waitMs: number) => void
  /** Called when the answer is large: it counts against the account until `release` is called. */
  onHeld?: (release: () => void) => void
  /** Told of the call once it has ended, also when it is refused. Describing it may fail, which must not reach whoever called: the request was sent. */
  onExchange?: (describe: () => Exchange) => void
}

export type Exchange = {
  method: string
  /** Without credentials; the endpoint alone when there was no answer. */
  url: string
  /** Absent when there was no answer. */
  statusCode?: number
  /** Why there was none. */
  errorMessage?: string
  startedAt: Date
  durationMs: number
  requestBytes: number
  responseBytes: number
  /** As sent and as received: they may hold secrets. */
  requestBody?: string | Buffer
  responseBody?: Buffer | undefined
  /** The answer itself. */
  answer?: ConnectionAnswer | undefined
}

export type ApplicationAnswer = {
  statusCode: number
  headers: Record<string, string>
  /** Text where it is large. */
  data: Json | JsonText
  /** The data is the text that the target sent, not JSON of its own. */
  isText: boolean
  pausedMs: number
}

export type ApplicationCalls = {
  /** Throws AppError when the target refuses or cannot be reached. */
  call(scope: Scope, call: ApplicationCall): Promise<ApplicationAnswer>
}
