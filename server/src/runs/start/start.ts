// RunWorkflow and RetryRun: what must be right before a run may start.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf } from '../../audit/index.ts'
import type { Database, Scope } from '../../db/index.ts'
import { joinProblems } from '../../engine/problem.ts'
import { scopeRun } from '../../engine/run-scope.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import { listBlocks, type StoredBlock } from '../execute/claim-store.ts'
import type { FindDefinition } from '../execute/definition-cache.ts'
import { openDeferred, sealDeferred } from '../execute/sealed-deferred.ts'
import { findRun } from '../history/history-store.ts'
import { copyBlocks, updateDeferred } from './start-store.ts'
import { notDeployed, type RunRequest, type RunStarter, type StartedRun } from './starter.ts'

export type StartDeps = {
  database: Database
  keyRing: KeyRing
  starter: RunStarter
  findDefinition: FindDefinition
  /** Short names of applications that the workflow needs and that are not there, or not signed in. */
  missingApplications(scope: Scope, definition: WorkflowDefinition): Promise<string[]>
  /** A request that the workflow received; undefined when there is none of that id. */
  findWebhook(scope: Scope, workflowId: string, webhookId: string): Promise<{ updateDateLastRun: boolean } | undefined>
}

export type StartBody = { workflowId: string; webhookId?: string; runFromBlock?: number; runTillBlock?: number }

export async function startRun(deps: StartDeps, principal: Principal, body: StartBody): Promise<StartedRun> {
  const { webhookId, runFromBlock, runTillBlock } = body
  const scope = scopeOf(principal)
  const request: RunRequest = {
    accountId: scope.accountId,
    workflowId: body.workflowId.toLowerCase(),
    runBy: principal.credential.kind === 'session' ? 'Manual' : 'API',
    actor: actorOf(principal),
  }
  if (webhookId === undefined && runFromBlock === undefined && runTillBlock === undefined) {
    // The plain start asks nothing first: what the statement that starts it needs to know, it looks up itself.
    return deps.starter.start(request)
  }
  const definition = await getDeployed(deps, scope, request.workflowId)
  await refuseMissing(deps, scope, definition)
  if (webhookId !== undefined) {
    const webhook = await deps.findWebhook(scope, definition.workflowId, webhookId.toLowerCase())
    if (!webhook) throw new AppError('invalid_request', `The workflow has no webhook request ${webhookId}.`)
    request.webhookIds = [webhookId.toLowerCase()]
    request.movesDateLastRun = webhook.updateDateLastRun
  }
  const range = {
    ...(runFromBlock === undefined ? {} : { runFromBlock }),
    ...(runTillBlock === undefined ? {} : { runTillBlock }),
  }
  if (Object.keys(range).length === 0) return deps.starter.start(request)
  return startPartial(deps, scope, definition, { ...request, range })
}

async function startPartial(
  deps: StartDeps,
  scope: Scope,
  definition: WorkflowDefinition,
  request: RunRequest,
): Promise<StartedRun> {
  const { accountId, workflowId } = request
  const latest = await findRun(deps.database.system, accountId, workflowId, undefined)
  const stored = latest ? await listBlocks(deps.database.system, accountId, latest.id) : []
  const ready = new Set(stored.filter(({ status }) => status === 'Ready').map(({ blockId }) => blockId))
  const checked = scopeRun(definition.chain, request.range ?? {}, ready)
  if (!checked.ok) throw new AppError('blocks_invalid', joinProblems(checked.problems))
  return startWith(deps, scope, request, {
    definition,
    source: latest && { runId: latest.id, blocks: stored },
    reused: checked.value.reused,
    keepsDeferred: false,
  })
}

/** Again from the block that failed: what ended well is not done a second time. */
export async function retryRun(
  deps: StartDeps,
  principal: Principal,
  workflowId: string,
  runNumber: number,
): Promise<StartedRun> {
  const scope = scopeOf(principal)
  const found = await findRun(deps.database.system, scope.accountId, workflowId, runNumber)
  if (!found) throw notFound('run')
  if (found.item.status !== 'Error' && found.item.status !== 'Stopped') {
    const words = found.item.status === 'Ready' ? 'ended well' : 'is still under way'
    throw new AppError(
      'run_not_failed',
      `Run ${runNumber} ${words}; only a run that failed or was stopped can be tried again.`,
    )
  }
  const definition = await getDeployed(deps, scope, workflowId)
  const stored = await listBlocks(deps.database.system, scope.accountId, found.id)
  const present = new Set(definition.chain.map(({ uniqueBlockId }) => uniqueBlockId))
  return startWith(
    deps,
    scope,
    {
      accountId: scope.accountId,
      workflowId: definition.workflowId,
      runBy: 'Retry',
      reusedRunId: found.id,
      actor: actorOf(principal),
    },
    {
      definition,
      source: { runId: found.id, blocks: stored },
      reused: stored
        .filter(({ status, blockId }) => status === 'Ready' && present.has(blockId))
        .map(({ blockId }) => blockId),
      keepsDeferred: true,
    },
  )
}

type Reuse = {
  definition: WorkflowDefinition
  source: { runId: string; blocks: readonly StoredBlock[] } | undefined
  reused: readonly string[]
  keepsDeferred: boolean
}

async function startWith(
  deps: StartDeps,
  scope: Scope,
  request: RunRequest,
  { definition, source, reused, keepsDeferred }: Reuse,
): Promise<StartedRun> {
  const started = await deps.database.system.transaction(async (tx) => {
    const run = await deps.starter.startIn(tx, request)
    // The checks were made against the revision that was newest a moment ago.
    if (run.revision !== definition.revision)
      throw new AppError('blocks_invalid', 'The workflow was changed at this very moment. Try again.')
    if (!source || reused.length === 0) return run
    const { accountId } = scope
    await copyBlocks(tx, { fromRunId: source.runId, toRunId: run.id, accountId, blockIds: reused })
    const last = source.blocks.filter(({ blockId }) => reused.includes(blockId)).at(-1)
    if (keepsDeferred && last?.sealedDeferred) {
      // Sealed values are bound to their row, so they are sealed anew for the new one.
      const { blockId } = last
      const deferred = await openDeferred(
        deps.keyRing,
        { runId: source.runId, blockId, accountId },
        last.sealedDeferred,
      )
      const sealed = await sealDeferred(deps.keyRing, { runId: run.id, blockId, accountId }, deferred)
      await updateDeferred(tx, { runId: run.id, blockId, accountId, sealed })
    }
    return run
  })
  deps.starter.wake()
  return started
}

async function getDeployed(deps: StartDeps, scope: Scope, workflowId: string): Promise<WorkflowDefinition> {
  const definition = await deps.findDefinition(scope.accountId, workflowId)
  if (!definition) throw notFound('workflow')
  if (definition.state !== 'deployed') throw notDeployed(definition.state)
  return definition
}

async function refuseMissing(deps: StartDeps, scope: Scope, definition: WorkflowDefinition): Promise<void> {
  const missing = await deps.missingApplications(scope, definition)
  if (missing.length > 0)
    throw new AppError(
      'applications_missing',
      `The workflow needs registered applications that are missing: ${missing.join(', ')}.`,
    )
}
