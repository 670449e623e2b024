// The script of one test: what it and its expressions are given is the same for all items.
import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import type { Scope } from '../../db/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import {
  type CallContext,
  createMasker,
  type LibraryFunction,
  type SandboxPool,
  type ScriptCall,
  type ScriptOutcome,
} from '../../sandbox/index.ts'
import { type Evaluated, runSmallJob } from '../execute/expression.ts'
import { type Caller, performCall, type ScriptPorts } from '../execute/script-calls.ts'
import { writeKeys } from '../execute/write-keys.ts'
import { readAnswer } from '../webhook-answer.ts'
import { type NotedCall, noteCall } from './stand-ins.ts'

type Body = BodyOf<Operations['TestBlock']>
type Response = AnswerOf<Operations['TestBlock']>['response']

const secondsDefault = 30
/** Tests have no block, so sentences that name one say this. */
export const testedName = 'Test'

export type TestWorld = {
  sandbox: Pick<SandboxPool, 'run'>
  scope: Scope
  workflowId: string
  applicationOf: Caller['applicationOf']
  library: readonly LibraryFunction[]
  secrets: readonly string[]
  ports: ScriptPorts
}

export type Extras = { [name: string]: Json }

export class TestedScript {
  readonly calls: NotedCall[] = []
  /** What the script gave to fx.respond first. */
  response: Response = null
  readonly #world: TestWorld
  readonly #body: Body
  readonly #endsAt: number

  constructor(world: TestWorld, body: Body) {
    this.#world = world
    this.#body = body
    this.#endsAt = performance.now() + (body.timeoutSeconds ?? secondsDefault) * 1000
  }

  /** `itemKey`: writes of different items have different keys. All items together have the time of the test. */
  async run(script: string, extras: Extras, itemKey = ''): Promise<ScriptOutcome> {
    const { sandbox, scope, library, secrets } = this.#world
    const idempotencyKey = `test:${this.#world.workflowId}${itemKey === '' ? '' : `:${itemKey}`}`
    const notes: string[] = []
    const caller = this.#callerOf(idempotencyKey, notes)
    const outcome = await sandbox.run({
      ...scope,
      script,
      inputs: this.#inputs(extras, { idempotencyKey, try: this.#body.try ?? 1 }),
      library,
      capabilities: { api: true, vault: true, email: true, answer: true, events: true },
      secrets,
      limits: { timeMs: Math.max(1, Math.floor(this.#endsAt - performance.now())), pauseMsMax: 60_000 },
      onCall: (call: ScriptCall, context: CallContext) =>
        noteCall(this.calls, secrets, call, () => performCall(this.#world.ports, caller, call, context)),
      startsAgain: true,
    })
    return { ...outcome, log: [...outcome.log, ...notes] }
  }

  /** `script`: an array of one value. */
  async evaluate(what: string, script: string, extras: Extras = {}): Promise<Evaluated> {
    const { sandbox, scope, library, secrets } = this.#world
    const job = { ...scope, inputs: this.#inputs(extras, {}), library, secrets }
    return runSmallJob(sandbox, job, { what, blockName: testedName }, script)
  }

  #inputs(extras: Extras, more: JsonObject) {
    const body = this.#body
    const error = body.error === undefined ? {} : { error: body.error as Json }
    return {
      dataSources: (body.dataSources ?? []) as (Json | JsonText)[],
      variables: (body.variables ?? {}) as JsonObject,
      session: { vars: (body.sessionVars ?? {}) as JsonObject, vault: {}, vaultGlobal: {} },
      webhook: (body.webhook ?? null) as Json,
      dateLastRun: body.dateLastRun ?? null,
      run: {
        workflowId: this.#world.workflowId,
        runNumber: 0,
        runBy: 'Manual',
        input: (body.input ?? null) as Json,
        ...more,
      },
      ...(body.error === undefined && Object.keys(extras).length === 0 ? {} : { extras: { ...error, ...extras } }),
    }
  }

  #callerOf(idempotencyKey: string, notes: string[]): Caller {
    const { scope, workflowId, applicationOf, secrets } = this.#world
    return {
      scope,
      workflowId,
      applicationOf,
      keyOfWrite: writeKeys(idempotencyKey),
      // A test runs once whatever happens, and its caller is told.
      aside: (work) => work(),
      onRespond: (answer) => {
        const { statusCode, headers, body } = readAnswer(createMasker(secrets).value(answer) as JsonObject, (name) =>
          notes.push(`fx.respond: the header ${name} cannot be set, so it was left out.`),
        )
        this.response ??= { statusCode, headers: Object.fromEntries(headers), body }
      },
    }
  }
}
