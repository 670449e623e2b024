// What is kept of a run for its replays.
import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'

export type Tape = { webhook: Json | JsonText; blocks: TapedBlock[] }

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

export type TapedBlock = { id: string; calls: TapedCall[]; reads: TapedRead[] }
