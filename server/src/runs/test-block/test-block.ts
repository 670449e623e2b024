// One script, tried out: the same sandbox and the same calls as in a run, but nothing is recorded, mailed or put into a vault.

import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Scope } from '../../db/index.ts'
import { invalid } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import type { ApplicationCalls } from '../../proxy/index.ts'
import type { LibraryFunction, SandboxPool, ScriptOutcome } from '../../sandbox/index.ts'
import { callOf } from '../execute/expression.ts'
import { testPorts } from './stand-ins.ts'
import { keyOfItem, sumUp, type TestedItems, testItems } from './test-items.ts'
import { type Extras, TestedScript, type TestWorld } from './tested-script.ts'

export type TestBlockDeps = {
  sandbox: Pick<SandboxPool, 'run'>
  functions: { list(organizationId: string): Promise<readonly LibraryFunction[]> }
  applications: ApplicationCalls
  secretsOf(scope: Scope, regApplicationIds: string[]): Promise<readonly string[]>
}

type Body = BodyOf<Operations['TestBlock']>
type Answer = AnswerOf<Operations['TestBlock']>
/** What is told of one test beside what its script called. */
type Told = Omit<Answer, 'calls' | 'response' | 'durationInMilliSec'>

export async function testBlock(deps: TestBlockDeps, principal: Principal, body: Body): Promise<Answer> {
  const isWithItem = body.item !== undefined || body.index !== undefined || body.itemKey !== undefined
  const isWithItems = body.allItems === true || body.items !== undefined
  if (isWithItem && isWithItems) throw invalid('Give item, index and itemKey, or allItems and items, not both.')
  const script = new TestedScript(await openWorld(deps, scopeOf(principal), body), body)
  const startedAt = performance.now()
  const told = await tryOut(script, body, { isWithItem, isWithItems })
  const durationInMilliSec = Math.round(performance.now() - startedAt)
  return { ...told, calls: script.calls, response: script.response, durationInMilliSec }
}

async function openWorld(deps: TestBlockDeps, scope: Scope, body: Body): Promise<TestWorld> {
  const real = Object.fromEntries(
    Object.entries(body.applications ?? {}).map(([shortName, id]) => [shortName.toUpperCase(), id]),
  )
  const [library, secrets] = await Promise.all([
    deps.functions.list(scope.organizationId),
    deps.secretsOf(scope, Object.values(real)),
  ])
  return {
    sandbox: deps.sandbox,
    scope,
    workflowId: newId(),
    // Any short name may be called: those that are not real have recorded answers, or none and say so.
    applicationOf: (shortName) => (Object.hasOwn(real, shortName) ? real[shortName] : ''),
    library,
    secrets,
    ports: testPorts(deps.applications, body, real),
  }
}

async function tryOut(
  script: TestedScript,
  body: Body,
  { isWithItem, isWithItems }: { isWithItem: boolean; isWithItems: boolean },
): Promise<Told> {
  if (body.runWhen !== undefined) {
    const condition = await script.evaluate('The condition', `[!!${callOf(body.runWhen)}]`)
    if (!condition.ok) return { ...nothing, result: condition.failure.message }
    if (condition.value !== true) return { ...nothing, success: true, skipped: true }
  }
  if (isWithItems) return tellItems(await testItems(script, body))
  const extras = isWithItem ? await itemOf(script, body) : {}
  return 'problem' in extras
    ? { ...nothing, result: extras['problem'] }
    : tellOutcome(await script.run(body.script, extras))
}

async function itemOf(script: TestedScript, body: Body): Promise<Extras | { problem: string }> {
  const item = (body.item ?? null) as Json
  const found = await keyOfItem(script, body, item)
  return 'problem' in found ? found : { item, index: body.index ?? 0, itemKey: found.key }
}

const nothing: Told = {
  success: false,
  result: null,
  line: null,
  column: null,
  log: [],
  sessionVars: {},
  deferredVault: { workflow: {}, global: {} },
  stopAfterThisBlock: null,
  pauseInMilliSec: 0,
  skipped: false,
  items: null,
  itemsTotal: null,
}

function tellOutcome(outcome: ScriptOutcome): Told {
  const hasReturned = outcome.kind === 'returned'
  return {
    ...nothing,
    success: hasReturned,
    result: hasReturned ? outcome.value : outcome.message,
    line: 'line' in outcome ? (outcome.line ?? null) : null,
    column: 'column' in outcome ? (outcome.column ?? null) : null,
    log: outcome.log,
    sessionVars: hasReturned ? outcome.sessionVars : {},
    deferredVault: hasReturned ? outcome.deferredVault : nothing.deferredVault,
    stopAfterThisBlock: hasReturned ? (outcome.stop?.flag ?? null) : null,
    pauseInMilliSec: outcome.pauseMs,
  }
}

/** Logs of items stand with them. */
function tellItems(tested: TestedItems): Told {
  if ('problem' in tested) return { ...nothing, result: tested.problem }
  const { items, total, pauseMs } = tested
  return { ...nothing, ...sumUp(items), items, itemsTotal: total, pauseInMilliSec: pauseMs }
}
