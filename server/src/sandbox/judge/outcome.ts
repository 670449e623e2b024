import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'

type DeferredVault = { workflow: { [key: string]: Json }; global: { [key: string]: Json } }

type Always = {
  /** What the script wrote, as far as it was received; also when the script was killed. */
  log: string[]
  pauseMs: number
}

export type ScriptReturned = Always & {
  kind: 'returned'
  /** Text where it is large. */
  value: Json | JsonText
  /** Where values from the vault stand in it; see mask/vault-ranges.ts. */
  vaultRanges?: string
  sessionVars: { [name: string]: Json }
  deferredVault: DeferredVault
  /** Present when the script asked to end the run after this block; `flag` is what it gave. */
  stop?: { flag: boolean }
}

/** Every failure carries a sentence for the owner of the script. */
export type ScriptFailure = Always & {
  message: string
} /** `sessionVars`: session.vars as the script left them, where they could be read. */ & (
    | {
        kind: 'threw'
        name: string
        line?: number
        column?: number
        sessionVars?: { [name: string]: Json }
        /** What a target answered, where the error carries it: {statusCode, headers, data}. */
        response?: { [name: string]: Json }
      }
    | { kind: 'invalid'; line: number; column: number }
    | { kind: 'timedOut'; limitMs: number }
    | { kind: 'outOfMemory'; limitBytes: number }
    | { kind: 'resultTooLarge'; limitBytes: number }
    | { kind: 'notJson' }
    | { kind: 'stalled' }
    | { kind: 'crashed' }
    | { kind: 'aborted' }
    /** It slept when its run was to stop. */
    | { kind: 'stopped' }
  )

export type ScriptOutcome = ScriptReturned | ScriptFailure

export type ScriptCheck = { ok: true } | { ok: false; message: string; line: number; column: number }
