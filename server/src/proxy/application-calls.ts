// Calls to registered applications, alike for the REST interface and for scripts.
import type { Scope } from '../db/index.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type ApplicationCall = {
  shortName: string
  /** Chooses among several instances. */
  regApplicationId?: string
  verb: string
  requestUrl: string
  baseUrl?: string
  data?: Json
  headers?: Record<string, string>
  /** Absent: JSON where the body is JSON, text otherwise. */
  responseType?: 'Json' | 'Text' | 'Binary'
  responseCodes?: readonly number[]
  idempotencyKey?: string
  signal?: AbortSignal
  onPause?: (waitMs: number) => void
  /** Told of the call once it has ended, also when it is refused. */
  onExchange?: (exchange: Exchange) => void
}

export type Exchange = {
  method: string
  /** Without credentials. */
  url: string
  /** Absent when there was no answer. */
  statusCode?: number
  durationMs: number
  requestBytes: number
  responseBytes: number
}

export type ApplicationCalls = {
  /** Throws AppError when the target refuses or cannot be reached. */
  call(
    scope: Scope,
    call: ApplicationCall,
  ): Promise<{ statusCode: number; headers: Record<string, string>; data: Json; pausedMs: number }>
}
