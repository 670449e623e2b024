// Deferred vault values are written with the end of the run, which nothing may stop: what the vault would refuse fails the block that set it.

import { vaultKeyLengthMax, vaultValueBytesMax } from '@patchbay/contract'
import type { JsonObject } from '../../lib/json.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'

export function refuseDeferred(outcome: ScriptOutcome): ScriptOutcome {
  if (outcome.kind !== 'returned') return outcome
  const { workflow, global } = outcome.deferredVault
  const problem = findProblem(workflow) ?? findProblem(global)
  if (problem === undefined) return outcome
  const { log, pauseMs, sessionVars } = outcome
  return { kind: 'threw', name: 'Error', message: problem, log, pauseMs, sessionVars }
}

function findProblem(entries: JsonObject): string | undefined {
  for (const [key, value] of Object.entries(entries)) {
    if (key.length === 0 || key.length > vaultKeyLengthMax)
      return `A vault key must have 1 to ${vaultKeyLengthMax} characters.`
    const bytes = Buffer.byteLength(JSON.stringify(value))
    if (bytes > vaultValueBytesMax)
      return `The vault value "${key}" has ${bytes} bytes; the maximum is ${vaultValueBytesMax}.`
  }
  return undefined
}
