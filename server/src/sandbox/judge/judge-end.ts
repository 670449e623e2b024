import { isDeeperThan, isObject, type Json } from '../../lib/json.ts'
import { RESULT_DEPTH_MAX, type ScriptLimits } from '../limits.ts'
import type { Masker } from '../mask/mask.ts'
import { markTaken } from '../mask/vault-ranges.ts'
import type { GuestExit } from '../process/guest-jobs.ts'
import type { GuestEnd } from '../protocol.ts'
import type { ScriptFailure, ScriptOutcome } from './outcome.ts'

/** Lines that the constructor of functions puts before a script's first line. */
const LINES_BEFORE_SCRIPT = 2

type WithoutLog<T> = T extends unknown ? Omit<T, 'log' | 'pauseMs'> : never

export type Verdict = WithoutLog<ScriptOutcome>
export type Failure = WithoutLog<ScriptFailure>

export type EndContext = {
  limits: ScriptLimits
  masker: Masker
  /** Texts that the script took from the vault. */
  taken: readonly string[]
  script: string
  fileName?: string | undefined
}

/** What the end told by the script process means. The texts in it are the script's and are judged here. */
export function judgeEnd(end: GuestEnd, context: EndContext): Verdict {
  switch (end.kind) {
    case 'returned':
      return judgeReturned(end, context)
    case 'threw':
      return judgeThrown(end, context)
    case 'invalid':
      return {
        kind: 'invalid',
        message: place(context.masker.text(end.message), end, context),
        line: end.line,
        column: end.column,
      }
    case 'notJson':
      return { kind: 'notJson', message: context.masker.text(`${end.what} is not JSON: ${end.message}.`) }
    case 'tooLarge':
      return tooLarge(end.what, context.limits)
    case 'outOfMemory':
      return outOfMemory(context.limits)
    case 'stalled':
      return { kind: 'stalled', message: 'The script is waiting for a promise that can never settle.' }
    case 'valid':
    case 'held':
      return { kind: 'crashed', message: 'The script process gave an unexpected answer.' }
  }
}

/** The process is gone although nobody killed it. */
export function judgeExit(exit: GuestExit, limits: ScriptLimits): Failure {
  return isOfScript(exit) ? outOfMemory(limits) : { kind: 'crashed', message: explainExit(exit) }
}

/** V8 ends a whole process when memory for an object cannot be had. While an isolate is being made, no script asks for any. */
export function isOfScript({ stderr, wasMakingIsolate }: GuestExit): boolean {
  if (wasMakingIsolate) return false
  return /out of memory|is_heap_oom = 1|allocation failed|bad_alloc|invalid (table|array) (size|length)/i.test(stderr)
}

export function explainExit({ signal, code }: GuestExit): string {
  return `The script process ended unexpectedly (${signal ?? `code ${code}`}). This is not the script's fault.`
}

export function outOfMemory(limits: ScriptLimits): Failure {
  const mebibytes = Math.round(limits.memoryBytes / 1_048_576)
  return {
    kind: 'outOfMemory',
    message: `The script exceeded its memory limit of ${mebibytes} MiB.`,
    limitBytes: limits.memoryBytes,
  }
}

function tooLarge(what: string, { resultBytesMax }: ScriptLimits): Failure {
  return {
    kind: 'resultTooLarge',
    message: `${what} is larger than ${resultBytesMax} bytes.`,
    limitBytes: resultBytesMax,
  }
}

/** Of what a script returns, each with its name for people. */
export const RETURNED_PARTS = [
  ['The result', 'value'],
  ['session.vars', 'vars'],
  ['session.vault', 'vault'],
  ['session.vaultGlobal', 'vaultGlobal'],
] as const

function judgeReturned(end: GuestEnd & { kind: 'returned' }, { limits, masker, taken }: EndContext): Verdict {
  const values: Json[] = []
  for (const [what, part] of RETURNED_PARTS) {
    const text = end[part]
    if (Buffer.byteLength(text) > limits.resultBytesMax) return tooLarge(what, limits)
    const value = JSON.parse(text) as Json
    if (isDeeperThan(RESULT_DEPTH_MAX, value))
      return { kind: 'notJson', message: `${what} is nested more than ${RESULT_DEPTH_MAX} levels deep.` }
    if (what !== 'The result' && !isObject(value)) return { kind: 'notJson', message: `${what} must remain an object.` }
    values.push(value)
  }
  const [value, vars, workflow, global] = values as [Json, ...{ [name: string]: Json }[]]
  const shown = masker.value(value)
  const vaultRanges = taken.length === 0 ? undefined : markTaken(JSON.stringify(shown), taken)
  return {
    kind: 'returned',
    value: shown,
    ...(vaultRanges === undefined ? {} : { vaultRanges }),
    sessionVars: masker.value(vars ?? {}) as { [name: string]: Json },
    // The vault is where secrets belong, so what goes there is not masked.
    deferredVault: { workflow: workflow ?? {}, global: global ?? {} },
    ...(end.stop === null ? {} : { stop: { flag: end.stop } }),
  }
}

function judgeThrown(end: GuestEnd & { kind: 'threw' }, context: EndContext): Verdict {
  const name = context.masker.text(end.name === '' ? 'Error' : end.name)
  const text = context.masker.text(end.message)
  const message = name === 'Error' ? text || 'The script threw an error without a message.' : `${name}: ${text}`
  const [, lineText, columnText] = /patchbay-script:(\d{1,7}):(\d{1,7})/.exec(end.stack) ?? []
  const line = Number(lineText) - LINES_BEFORE_SCRIPT
  const left = { ...readLeftVars(end.vars, context), ...readResponse(end.response, context) }
  // The stack is a text that the script can write as it likes, so a line that does not exist is not repeated.
  if (!(line >= 1 && line <= context.script.split('\n').length)) return { kind: 'threw', name, message, ...left }
  const at = { line, column: Number(columnText) }
  return { kind: 'threw', name, message: place(message, at, context), ...at, ...left }
}

/** Of no use for the run, but for whoever looks for the reason of the failure. */
function readLeftVars(text: string | null, { limits, masker }: EndContext): { sessionVars?: { [name: string]: Json } } {
  if (text === null || Buffer.byteLength(text) > limits.resultBytesMax) return {}
  const value = JSON.parse(text) as Json
  if (!isObject(value) || isDeeperThan(RESULT_DEPTH_MAX, value)) return {}
  return { sessionVars: masker.value(value) as { [name: string]: Json } }
}

function readResponse(text: string | null, { limits, masker }: EndContext): { response?: { [name: string]: Json } } {
  if (text === null || Buffer.byteLength(text) > limits.resultBytesMax) return {}
  const value = JSON.parse(text) as Json
  if (!isObject(value) || isDeeperThan(RESULT_DEPTH_MAX, value)) return {}
  return { response: masker.value(value) as { [name: string]: Json } }
}

function place(message: string, { line, column }: { line: number; column: number }, { fileName }: EndContext): string {
  return fileName === undefined ? message : `${message} (${fileName}:${line}:${column})`
}
