// One block: what its script is given, and what becomes of what it did.

import type { Scope } from '../../db/index.ts'
import { joinProblems } from '../../engine/problem.ts'
import { findUnknownCharset, tellUnknownCharset } from '../../lib/charset.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText } from '../../lib/json-text.ts'
import {
  createMasker,
  type LibraryFunction,
  type Masker,
  type SandboxPool,
  type ScriptCall,
  type ScriptOutcome,
} from '../../sandbox/index.ts'
import type { RunTraces } from '../../tracing/index.ts'
import type { BlockTape } from '../recording/run-tape.ts'
import type { RunClaim } from '../run.ts'
import { readAnswer, type WebhookAnswer } from '../webhook-answer.ts'
import { type BlockCalls, cutMasked } from './block-calls.ts'
import { refuseDeferred } from './check-deferred.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { itemKeysOf, type KeyReader } from './item-keys.ts'
import { pathBefore, type RunState, sourcesOf } from './run-state.ts'
import { type Caller, performCall, type ScriptPorts } from './script-calls.ts'
import type { WriteIntents } from './write-intents.ts'
import { writeKeys } from './write-keys.ts'

export type BlockScriptDeps = {
  sandbox: Pick<SandboxPool, 'run'>
  /** What stands behind the calls of a block. */
  portsOf(blockId: string, itemKey?: string): ScriptPorts
  /** Where the clock of a block begins that is run again. */
  clockOf?(blockId: string): Date
  /** The same array as long as nothing changed. */
  functions: { list(organizationId: string, workflowId: string): Promise<readonly LibraryFunction[]> }
  /** Credentials of the registered applications that a workflow was given: they must not appear anywhere. */
  secretsOf(scope: Scope, regApplicationIds: string[]): Promise<readonly string[]>
  /** Absent where blocks have no items. */
  itemKeys?: KeyReader | undefined
  runTimeoutSeconds: number
  intents: Pick<WriteIntents, 'note'>
  onFault(error: unknown): void
  /** Absent where nothing really waits. */
  createResumeUrl?(claim: RunClaim, at: { accountId: string; blockId: string; itemIndex: number }): Promise<string>
  /** Absent where no traces are wanted. */
  traces?: Pick<RunTraces, 'beginCall'> | undefined
}

export type BlockScript = {
  state: RunState
  block: PlannedBlock
  webhook: Json | JsonText
  claim: RunClaim
  /** Takes down what the script calls. */
  calls: BlockCalls
  tape: BlockTape | undefined
  signal: AbortSignal
  stopSignal: AbortSignal
  leaveSignal: AbortSignal | undefined
  onSleep(ms: number): void
  goesFirst: boolean
  /** Run time that earlier tries of the block have used up. */
  usedMs: number
  /** What the script answered to the request that started the run; the first one counts. */
  answer: { first?: WebhookAnswer }
  /** For one item, or a batch of them. */
  unit?: {
    /** Of a batch, that of its first item. */
    itemKey: string
    extras: { [name: string]: Json | JsonText }
    idempotencyKey: string
    timeMs: number
    try: number
    seesSources: boolean
    /** Where they are not the whole results. */
    sources?: readonly (Json | JsonText)[]
  }
  /** The script begins; until then it waits in line. */
  onBegin(): void
  /** What the script had written before a fault of the service ended it. */
  onCutOff(log: readonly string[]): void
}

/** Lines that the service itself adds to the log of a block. */
const notesMax = 20

/** Calls that change nothing and reach nobody else. */
const readsOnly: ReadonlySet<ScriptCall['kind']> = new Set(['vault.get', 'vault.contains'] as const)

/** Only where the block will wait; a script that does not name `run` cannot ask for it. */
async function findResumeUrl(
  deps: BlockScriptDeps,
  { state, block, claim, unit }: BlockScript,
): Promise<string | null> {
  const { accountId, isPartial, partial } = state.run
  const waits = !isPartial || partial?.waitForReal === true
  if (!block.wait || unit || !waits || !deps.createResumeUrl || !namesRun.test(block.script)) return null
  return deps.createResumeUrl(claim, { accountId, blockId: block.uniqueBlockId, itemIndex: -1 })
}

const namesRun = /\brun\b|globalThis|eval|Function|constructor|\bthis\b/

/** Rejects only for faults of the service. */
export async function runBlockScript(deps: BlockScriptDeps, given: BlockScript): Promise<ScriptOutcome> {
  const { state, block } = given
  const { run, workflow } = state
  if (!block.values.ok) {
    const message = joinProblems(block.values.problems)
    return { kind: 'threw', name: 'Error', message, log: [], pauseMs: 0 }
  }
  const limitMs = (workflow.timeoutSeconds ?? deps.runTimeoutSeconds) * 1000
  const leftMs = Math.floor(limitMs - pathBefore(state, block.uniqueBlockId) - given.usedMs)
  // The run's time limit does not count items.
  const timeMs = given.unit?.timeMs ?? Math.min(leftMs, (block.timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1000)
  if (leftMs <= 0 && !given.unit)
    return {
      kind: 'timedOut',
      message: `The run reached its time limit before this block could ${given.usedMs > 0 ? 'be tried again' : 'start'}.`,
      limitMs,
      log: [],
      pauseMs: 0,
    }

  const scope: Scope = { organizationId: workflow.organizationId, accountId: run.accountId }
  // The same in all retries of the run.
  const idempotencyKey = given.unit?.idempotencyKey ?? `${run.rootId}:${block.uniqueBlockId}`
  const registered = Object.values(workflow.applications)
  const [library, credentials, itemKeys] = await Promise.all([
    deps.functions.list(workflow.organizationId, workflow.workflowId),
    registered.length === 0 ? [] : deps.secretsOf(scope, registered),
    itemKeysOf(deps.itemKeys, state, block, given.unit?.extras['itemKey'] as Json | undefined),
  ])
  const secrets = [...workflow.secrets, ...credentials]
  const notes = new Set(state.outcomes.size === 0 ? noteWebhooks(given.webhook) : [])
  const caller = callerOf(deps, given, { scope, idempotencyKey, secrets, notes })
  const resumeUrl = await findResumeUrl(deps, given)
  const ports = deps.portsOf(block.uniqueBlockId, given.unit?.itemKey)
  const clock = deps.clockOf?.(block.uniqueBlockId)
  const ended = await deps.sandbox.run({
    organizationId: workflow.organizationId,
    accountId: run.accountId,
    script: block.script,
    inputs: {
      dataSources: given.unit?.seesSources === false ? [] : [...(given.unit?.sources ?? sourcesOf(state, block))],
      variables: block.values.value as JsonObject,
      session: state.session,
      webhook: given.webhook,
      dateLastRun: run.dateLastRun?.toISOString() ?? null,
      run: {
        workflowId: run.workflowId,
        runNumber: run.runNumber,
        runBy: run.runBy,
        idempotencyKey,
        input: run.input,
        ...(block.wait ? { resumeUrl } : {}),
        try: given.unit?.try ?? (state.tried.get(block.uniqueBlockId)?.tries ?? 0) + 1,
      },
      ...(clock === undefined ? {} : { clockMs: clock.getTime() }),
      ...(given.unit || itemKeys ? { extras: { ...given.unit?.extras, ...(itemKeys ? { itemKeys } : {}) } } : {}),
    },
    ...(clock === undefined
      ? { run: { key: run.id, isLast: !given.unit && state.outcomes.size + 1 >= state.scope.blocks.length } }
      : {}),
    library,
    capabilities: { api: true, vault: true, email: true, answer: true, events: true },
    secrets,
    limits: { timeMs },
    onCall: (call, context) => {
      if (!readsOnly.has(call.kind)) given.calls.noteCall()
      return performCall(ports, caller, call, context)
    },
    onSleep: given.onSleep,
    onBegin: given.onBegin,
    onCutOff: given.onCutOff,
    goesFirst: given.goesFirst,
    isPatient: true,
    signal: given.signal,
    stopSignal: given.stopSignal,
    ...(given.leaveSignal === undefined ? {} : { leaveSignal: given.leaveSignal }),
  })
  const outcome = refuseDeferred(ended)
  return notes.size === 0 ? outcome : { ...outcome, log: [...outcome.log, ...notes] }
}

type CallerParts = { scope: Scope; idempotencyKey: string; secrets: readonly string[]; notes: Set<string> }

/** Who calls, for those who answer, and what is taken down of each call. */
function callerOf(
  deps: BlockScriptDeps,
  given: BlockScript,
  { scope, idempotencyKey, secrets, notes }: CallerParts,
): Caller {
  const { state, block, claim, calls, tape } = given
  const { run, workflow } = state
  // Most blocks call nobody.
  let masker: Masker | undefined
  const masked = () => {
    masker ??= createMasker(secrets)
    return masker
  }
  const note = (line: string) => {
    if (notes.size < notesMax) notes.add(cutMasked(line, masked()))
  }
  return {
    scope,
    workflowId: run.workflowId,
    applicationOf: (shortName) =>
      Object.hasOwn(workflow.applications, shortName) ? workflow.applications[shortName] : undefined,
    keyOfWrite: writeKeys(idempotencyKey),
    noteWrite: ({ method, url, idempotencyKey }) =>
      deps.intents.note({
        claim,
        accountId: run.accountId,
        blockId: block.uniqueBlockId,
        method,
        url: cutMasked(url, masked()),
        idempotencyKey,
        sentAt: new Date(),
      }),
    tape,
    aside: (work) => {
      try {
        work()
      } catch (error) {
        deps.onFault(error)
      }
    },
    beginTrace: (shortName) => deps.traces?.beginCall(run, block.uniqueBlockId, shortName),
    onExchange: (exchange, key) => calls.add(exchange, key, masked()),
    onRespond: (answer) => {
      const read = readAnswer(masked().value(answer) as JsonObject, (name) => {
        note(`fx.respond: the header ${name} cannot be set, so it was left out.`)
      })
      given.answer.first ??= read
    },
    onNote: note,
  }
}

const headCharactersMax = 65_536

/** Of requests whose text may have been read wrong. */
function noteWebhooks(webhook: Json | JsonText): string[] {
  const requests = Array.isArray(webhook) ? webhook : [webhook]
  const charsets = requests.flatMap((request) => {
    const contentType = request instanceof JsonText ? contentTypeInText(request) : contentTypeOf(request)
    return findUnknownCharset(contentType) ?? []
  })
  return [...new Set(charsets)].slice(0, notesMax).map((charset) => tellUnknownCharset('The webhook request', charset))
}

/** A large request begins with its headers, and is not parsed for one of them. */
function contentTypeInText({ content }: JsonText): string | undefined {
  const start =
    typeof content === 'string' ? content.slice(0, headCharactersMax) : content.toString('utf8', 0, headCharactersMax)
  const [, value] = /"content-type":("(?:[^"\\]|\\.)*")/.exec(start) ?? []
  return value === undefined ? undefined : (JSON.parse(value) as string)
}

function contentTypeOf(request: Json): string | undefined {
  const headers = (request as { headers?: JsonObject } | null)?.headers
  const contentType = headers?.['content-type']
  return typeof contentType === 'string' ? contentType : undefined
}
