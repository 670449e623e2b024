// One script, tried out: the same sandbox and the same calls as in a run, but nothing is recorded, mailed or put into a vault.

import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { maskJson, maskSecrets } from '../../connections/index.ts'
import type { Scope } from '../../db/index.ts'
import { newId } from '../../lib/id.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { ApplicationCalls } from '../../proxy/index.ts'
import {
  type CallContext,
  type LibraryFunction,
  type SandboxPool,
  type ScriptCall,
  ScriptCallError,
} from '../../sandbox/index.ts'
import type { Vault } from '../../vault/index.ts'
import { type Caller, performCall, type ScriptPorts } from '../execute/script-calls.ts'
import { writeKeys } from '../execute/write-keys.ts'
import { recordedApplications } from './recorded-answers.ts'

export type TestBlockDeps = {
  sandbox: Pick<SandboxPool, 'run'>
  functions: { list(organizationId: string): Promise<readonly LibraryFunction[]> }
  applications: ApplicationCalls
  secretsOf(scope: Scope, regApplicationIds: string[]): Promise<readonly string[]>
}

type Body = BodyOf<Operations['TestBlock']>
type Answer = AnswerOf<Operations['TestBlock']>

const secondsDefault = 30
const callsMax = 1000

export async function testBlock(deps: TestBlockDeps, principal: Principal, body: Body): Promise<Answer> {
  const scope = scopeOf(principal)
  const workflowId = newId()
  const real = Object.fromEntries(
    Object.entries(body.applications ?? {}).map(([shortName, id]) => [shortName.toUpperCase(), id]),
  )
  const [library, secrets] = await Promise.all([
    deps.functions.list(scope.organizationId),
    deps.secretsOf(scope, Object.values(real)),
  ])
  const ports = testPorts(deps, body, real)
  const idempotencyKey = `test:${workflowId}`
  const caller: Caller = {
    scope,
    workflowId,
    // Any short name may be called: those that are not real have recorded answers, or none and say so.
    applicationOf: (shortName) => (Object.hasOwn(real, shortName) ? real[shortName] : ''),
    keyOfWrite: writeKeys(idempotencyKey),
    // A test runs once whatever happens, and its caller is told.
    aside: (work) => work(),
  }
  const calls: Answer['calls'] = []
  const onCall = async (call: ScriptCall, context: CallContext): Promise<Json | JsonText> => {
    return noteCall(calls, secrets, call, () => performCall(ports, caller, call, context))
  }
  const startedAt = performance.now()
  const outcome = await deps.sandbox.run({
    organizationId: scope.organizationId,
    accountId: scope.accountId,
    script: body.script,
    inputs: {
      dataSources: (body.dataSources ?? []) as Json[],
      variables: (body.variables ?? {}) as JsonObject,
      session: { vars: (body.sessionVars ?? {}) as JsonObject, vault: {}, vaultGlobal: {} },
      webhook: (body.webhook ?? null) as Json,
      dateLastRun: body.dateLastRun ?? null,
      run: { workflowId, runNumber: 0, runBy: 'Manual', idempotencyKey, input: null },
    },
    library,
    capabilities: { api: true, vault: true, email: true, answer: true },
    secrets,
    limits: { timeMs: (body.timeoutSeconds ?? secondsDefault) * 1000, pauseMsMax: 60_000 },
    onCall,
    startsAgain: true,
  })
  const hasReturned = outcome.kind === 'returned'
  return {
    success: hasReturned,
    result: hasReturned ? outcome.value : outcome.message,
    line: 'line' in outcome ? (outcome.line ?? null) : null,
    column: 'column' in outcome ? (outcome.column ?? null) : null,
    log: outcome.log,
    sessionVars: hasReturned ? outcome.sessionVars : {},
    deferredVault: hasReturned ? outcome.deferredVault : { workflow: {}, global: {} },
    stopAfterThisBlock: hasReturned ? (outcome.stop?.flag ?? null) : null,
    calls,
    durationInMilliSec: Math.round(performance.now() - startedAt),
    pauseInMilliSec: outcome.pauseMs,
  }
}

const shownCharactersMax = 2000

async function noteCall(
  calls: Answer['calls'],
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

function testPorts(deps: TestBlockDeps, body: Body, real: Readonly<Record<string, string>>): ScriptPorts {
  const recorded = recordedApplications(body.recordedAnswers ?? [])
  return {
    vault: memoryVault(body.vault ?? {}, body.vaultGlobal ?? {}),
    applications: {
      call: (scope, call) =>
        Object.hasOwn(real, call.shortName.toUpperCase()) ? deps.applications.call(scope, call) : recorded(scope, call),
    },
    sendEmail: async () => ({ Success: true }),
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
