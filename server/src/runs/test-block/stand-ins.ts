// Stands in for vault, mail and applications of a tested script; real applications are called where the test names them.
import type { BodyOf, Operations } from '@patchbay/contract'
import { maskJson, maskSecrets } from '../../connections/index.ts'
import type { Json } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { ApplicationCalls } from '../../proxy/index.ts'
import { type ScriptCall, ScriptCallError } from '../../sandbox/index.ts'
import type { Vault } from '../../vault/index.ts'
import type { ScriptPorts } from '../execute/script-calls.ts'
import { recordedApplications } from './recorded-answers.ts'

type Body = BodyOf<Operations['TestBlock']>

/** `real`: upper-case short names of registered applications. */
export function testPorts(
  applications: ApplicationCalls,
  body: Body,
  real: Readonly<Record<string, string>>,
): ScriptPorts {
  const recorded = recordedApplications(body.recordedAnswers ?? [])
  return {
    vault: memoryVault(body.vault ?? {}, body.vaultGlobal ?? {}),
    applications: {
      call: (scope, call) =>
        Object.hasOwn(real, call.shortName.toUpperCase()) ? applications.call(scope, call) : recorded(scope, call),
    },
    sendEmail: async () => ({ Success: true }),
    sendEvent: async () => 0,
  }
}

function memoryVault(workflow: Record<string, unknown>, global: Record<string, unknown>): Vault {
  const places = { workflow: new Map(Object.entries(workflow)), global: new Map(Object.entries(global)) }
  const at = (place: { workflowId: string } | { accountId: string }) =>
    'workflowId' in place ? places.workflow : places.global
  return {
    get: async (_scope, place, key) => (at(place).get(key) ?? null) as Json,
    set: async (_scope, place, key, value) => void at(place).set(key, value),
    remove: async (_scope, place, key) => at(place).delete(key),
    contains: async (_scope, place, key) => at(place).has(key),
    writeAll: async () => {},
  }
}

export type NotedCall = {
  kind: string
  arguments: unknown
  answer: unknown
  errorMessage: string | null
  durationInMilliSec: number
}

const callsMax = 1000
const shownCharactersMax = 2000

export async function noteCall(
  calls: NotedCall[],
  secrets: readonly string[],
  { kind, ...given }: ScriptCall,
  perform: () => Promise<Json | JsonText>,
): Promise<Json | JsonText> {
  const startedAt = performance.now()
  const note = (answer: Json | JsonText, errorMessage: string | null) => {
    if (calls.length >= callsMax) return
    const durationInMilliSec = Math.round(performance.now() - startedAt)
    calls.push({
      kind,
      arguments: maskJson(given, secrets),
      // A large one is shown as the beginning of its text.
      answer: maskJson(answer instanceof JsonText ? `${answer.text.slice(0, shownCharactersMax)}…` : answer, secrets),
      errorMessage: errorMessage === null ? null : maskSecrets(errorMessage, secrets),
      durationInMilliSec,
    })
  }
  try {
    const answer = await perform()
    note(answer, null)
    return answer
  } catch (error) {
    if (error instanceof ScriptCallError) note(null, error.message)
    throw error
  }
}
