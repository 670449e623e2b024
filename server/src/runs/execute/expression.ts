// Expressions of a block are evaluated in the account's sandbox, as tiny scripts that can call nobody.
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import type { SandboxPool, ScriptFailure } from '../../sandbox/index.ts'
import type { BlockScriptDeps } from './block-script.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { type RunState, sourcesOf } from './run-state.ts'

/** An expression measures itself: a process that is only just made takes its time on a busy machine. One that never ends is killed later. */
const ownTimeMs = 1000
const timeMs = 5000

export type Expression = {
  /** How a sentence begins that tells of its failure: `The condition`, `The retry rule`. */
  what: string
  source: string
  /** Names that only this expression sees. */
  extras?: { [name: string]: Json | JsonText }
  limits?: { resultBytesMax: number }
}

export type Around = {
  state: RunState
  block: PlannedBlock
  webhook: Json | JsonText
  signal: AbortSignal
  stopSignal: AbortSignal
}

export type Evaluated = { ok: true; value: Json | JsonText } | { ok: false; failure: ScriptFailure }

/** Rejects only for faults of the service. */
export async function evaluate(deps: BlockScriptDeps, around: Around, expression: Expression): Promise<Evaluated> {
  return runExpression(deps, around, expression, `[${callOf(expression.source)}]`)
}

export async function isTruthy(
  deps: BlockScriptDeps,
  around: Around,
  expression: Expression,
): Promise<{ ok: true; value: boolean } | { ok: false; failure: ScriptFailure }> {
  // A promise, a function and everything else that is no JSON is truthy as well.
  const found = await runExpression(deps, around, expression, `[!!${callOf(expression.source)}]`)
  return found.ok ? { ok: true, value: found.value === true } : found
}

/** What only scripts have is undefined inside. */
export function callOf(source: string): string {
  return `(function (api, myVault, email, sleep, events) { return (\n${source}\n) })()`
}

/** `script`: an array of one value, so that a promise in it is not awaited. */
export async function runExpression(
  deps: BlockScriptDeps,
  { state, block, webhook, signal, stopSignal }: Around,
  expression: Expression,
  script: string,
): Promise<Evaluated> {
  const { run, workflow } = state
  const scope = { organizationId: workflow.organizationId, accountId: run.accountId }
  const registered = Object.values(workflow.applications)
  const [library, credentials] = await Promise.all([
    deps.functions.list(workflow.organizationId, workflow.workflowId),
    registered.length === 0 ? [] : deps.secretsOf(scope, registered),
  ])
  const clock = deps.clockOf?.(block.uniqueBlockId)
  const job = {
    ...scope,
    inputs: {
      dataSources: sourcesOf(state, block),
      variables: (block.values.ok ? block.values.value : {}) as JsonObject,
      session: { vars: state.session.vars, vault: {}, vaultGlobal: {} },
      webhook,
      dateLastRun: run.dateLastRun?.toISOString() ?? null,
      run: { workflowId: run.workflowId, runNumber: run.runNumber, runBy: run.runBy, input: run.input },
      ...(clock === undefined ? {} : { clockMs: clock.getTime() }),
      ...(expression.extras ? { extras: expression.extras } : {}),
    },
    library,
    secrets: [...workflow.secrets, ...credentials],
    isPatient: true,
    signal,
    stopSignal,
  }
  return runSmallJob(deps.sandbox, job, { ...expression, blockName: block.blockName }, script)
}

type SmallJob = Omit<Parameters<SandboxPool['run']>[0], 'script' | 'capabilities' | 'limits' | 'onCall'>

/** Also for expressions that no run stands behind. */
export async function runSmallJob(
  sandbox: Pick<SandboxPool, 'run'>,
  job: SmallJob,
  { what, blockName, limits }: Pick<Expression, 'what' | 'limits'> & { blockName: string },
  script: string,
): Promise<Evaluated> {
  const outcome = await sandbox.run({
    ...job,
    script: timed(script),
    capabilities: { api: false, vault: false, email: false },
    limits: { timeMs, pauseMsMax: ownTimeMs, ...limits },
    onCall: () => Promise.reject(new Error('An expression called somebody.')),
  })
  if (outcome.kind === 'returned') return { ok: true, value: firstOf(outcome.value) }
  if (outcome.kind === 'aborted' || outcome.kind === 'stopped') return { ok: false, failure: outcome }
  const why = outcome.kind === 'timedOut' ? tookTooLong : outcome.message
  const message = `${what} of block "${blockName}" failed: ${why}`
  return { ok: false, failure: { kind: 'threw', name: 'Error', message, log: [], pauseMs: 0 } }
}

const tookTooLong = 'it took longer than one second.'

function timed(script: string): string {
  return `return ((startedAt, take) => {
    const value = take()
    if (Date.now() - startedAt > ${ownTimeMs}) throw new Error(${JSON.stringify(tookTooLong)})
    return value
  })(Date.now(), () => ${script})`
}

function firstOf(value: Json | JsonText): Json | JsonText {
  if (value instanceof JsonText) return new JsonText(value.text.slice(1, -1))
  return Array.isArray(value) ? (value[0] ?? null) : null
}
