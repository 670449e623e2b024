// What is kept of a run for its replays.
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'

/** `isCut`: of the items, only those that failed and the first 50 of each block are there. */
export type Tape = { webhook: Json | JsonText; blocks: TapedBlock[]; isCut?: boolean }

/** Of a block, so many items are always kept. */
export const itemsKept = 50

export type TapedAnswer = {
  statusCode: number
  headers: Record<string, string>
  body: Buffer
  /** Why access was denied, where the service could tell. */
  explanation?: string
}

export type TapedCall = {
  /** MAIL for a mail. */
  method: string
  /** Absolute where there was an answer; the endpoint alone otherwise. */
  url: string
  /** What the script asked for: registered application, base address and path. */
  address: string
  /** JSON text of what was sent, or the digest of a long one; null for nothing. */
  body: string | null
  answer: TapedAnswer | undefined
  /** Why there was no answer. */
  errorMessage: string | undefined
}

export type TapedRead = {
  kind: 'vault.get' | 'vault.contains' | 'vault.remove'
  scope: 'workflow' | 'global'
  key: string
  /** JSON text. */
  value: string
}

/** One block, or one try of one of its items. */
export type TapedBlock = { id: string; itemKey?: string; calls: TapedCall[]; reads: TapedRead[] }
