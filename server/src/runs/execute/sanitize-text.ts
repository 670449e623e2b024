// Texts on their way into the database, which has no NUL and no halves of characters.
import type { JsonObject } from '../../lib/json.ts'
import type { ScriptFailure } from '../../sandbox/index.ts'
import type { PlannedBlock } from './definition-cache.ts'

const messageCharactersMax = 20_000

export function storable(text: string): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return whole.length <= messageCharactersMax ? whole : `${whole.slice(0, messageCharactersMax).toWellFormed()}…`
}

/** JSON writes NUL and lone surrogates as escapes, so its text can always be stored. */
export function logText(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : JSON.stringify(lines)
}

export function sessionText(vars: JsonObject): string | null {
  const text = JSON.stringify(vars)
  return text === '{}' ? null : text
}

/** What the run says about the block that failed it. */
export function explainFailure(block: PlannedBlock, failure: ScriptFailure): string {
  const name = `Block ${block.no} "${block.blockName}"`
  if (failure.kind === 'timedOut') return `${name} was stopped because the run took too long. ${failure.message}`
  const line = 'line' in failure && failure.line !== undefined ? ` at line ${failure.line}` : ''
  return `${name} failed${line}: ${failure.message}`
}
